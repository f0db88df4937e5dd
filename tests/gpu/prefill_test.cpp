// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a prompt could leave other rows in the pages, or another state, than the same
// tokens one by one: the first token would be right and what follows would not.
#include <algorithm>
#include <numeric>

#include "runtime/graph/prefill_pass.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/small_model.h"

namespace assay::test {
namespace {

using ops::cuda::bytes_of;
using ops::cuda::matrix_products;
using reference::row;

constexpr std::uint32_t prompt_tokens = 150;
constexpr std::uint32_t steps_after = 3;

std::vector<std::int32_t> prompt_of(std::uint32_t vocab_rows) {
  std::vector<std::int32_t> ids(prompt_tokens);
  std::mt19937_64 random(41);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % vocab_rows);
  return ids;
}

struct heads_of {
  std::uint32_t heads, kv_heads, head_dim;
};

graph::decode_shape shape_of(element type, heads_of h, std::uint32_t page_tokens) {
  graph::decode_shape shape;
  shape.type = type;
  shape.hidden = 192;
  shape.intermediate = 320;
  shape.layers = 2;
  shape.heads = h.heads;
  shape.kv_heads = h.kv_heads;
  shape.head_dim = h.head_dim;
  shape.vocab_rows = 500;
  shape.page_tokens = page_tokens;
  shape.context_pages = (prompt_tokens + 8) / page_tokens + 1;
  shape.eps = 1e-6F;
  return shape;
}

/// A small model with what a pass needs besides, and its logits at every position of the prompt.
class prefilled {
 public:
  prefilled(element type, heads_of heads, std::uint32_t page_tokens)
      : prompt_(prompt_of(500)),
        model_(shape_of(type, heads, page_tokens), prompt_, 42),
        wanted_(model_.reference_logits(prompt_)),
        scratch_(std::size_t{prompt_tokens} * 4096 * bytes_of(type)),
        x_(std::size_t{prompt_tokens} * model_.shape().hidden),
        workspace_(matrix_products::workspace_bytes) {
    if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess)
      throw std::runtime_error("no stream");
  }
  ~prefilled() { (void)cudaStreamDestroy(stream_); }
  prefilled(const prefilled&) = delete;
  prefilled& operator=(const prefilled&) = delete;

  /// `off_bytes`: what the first products are moved by, from a boundary that everything wants.
  graph::prefill_pass pass(std::uint32_t chunk_tokens, std::size_t off_bytes = 0) const {
    const graph::decode_shape& shape = model_.shape();
    const std::size_t width = std::size_t{prompt_tokens} * bytes_of(shape.type);
    std::byte* at = scratch_.data();
    const auto take = [&](std::size_t columns) {
      std::byte* here = at;
      at += columns * width;
      return here;
    };
    graph::prefill_buffers scratch{};
    scratch.x = x_.data();
    scratch.rows = take(512);
    scratch.qkv = take(1536) + off_bytes;
    scratch.gate_up = take(1024);
    scratch.gated = take(512);
    auto products = matrix_products::create(stream_, workspace_.data());
    if (!products) throw std::runtime_error(products.error().message);
    return {shape,        model_.weights(), model_.buffers(),    scratch,
            chunk_tokens, site(),           std::move(*products)};
  }
  ops::cuda::launch_site site() const {
    ops::cuda::launch_site site;
    site.stream = stream_;
    return site;
  }

  void start() const {
    model_.forget();
    model_.rewind();
  }
  /// Logits and state after the token at position `last`, by the reference's.
  void expect_at(std::uint32_t last, std::uint32_t heads_run) const {
    ASSERT_CUDA(cudaStreamSynchronize(stream_));
    const auto logits = model_.logits();
    const element type = model_.shape().type;
    const double most = type == element::bf16 ? 2e-2 : type == element::f16 ? 3e-3 : 2e-5;
    const double error = relative_error(logits, wanted_[last]);
    worst_ = std::max(worst_, error);
    ASSERT_LT(error, most) << "position " << last;
    const ops::cuda::decode_state state = model_.state();
    ASSERT_EQ(state.position, static_cast<std::int32_t>(last) + 1);
    ASSERT_EQ(state.token, prompt_[last + 1]);
    ASSERT_EQ(state.steps, heads_run);
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    ASSERT_EQ(model_.chosen()[last], best);
  }
  /// Decode steps after a pass read what it cached.
  void expect_steps_after(std::uint32_t tokens, std::uint32_t heads_run) const {
    const graph::decode_step step = model_.step(site());
    for (std::uint32_t i = 0; i < steps_after; ++i) {
      ASSERT_TRUE(step.submit());
      expect_at(tokens + i, heads_run + i + 1);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  double worst() const { return worst_; }
  /// What the last pass left in its memory.
  std::vector<std::byte> memory() const { return scratch_.host(); }

 private:
  std::vector<std::int32_t> prompt_;
  small_model model_;
  std::vector<row> wanted_;
  device_array<std::byte> scratch_;
  device_array<float> x_;
  device_array<std::byte> workspace_;
  cudaStream_t stream_ = nullptr;
  mutable double worst_ = 0.0;
};

void check(const prefilled& on, std::uint32_t tokens, std::uint32_t chunk_tokens) {
  SCOPED_TRACE(std::to_string(tokens) + " tokens in chunks of " + std::to_string(chunk_tokens));
  on.start();
  graph::prefill_pass pass = on.pass(chunk_tokens);
  const auto submitted = pass.submit(0, tokens);
  ASSERT_TRUE(submitted) << submitted.error().message;
  on.expect_at(tokens - 1, 1);
  if (testing::Test::HasFatalFailure()) return;
  on.expect_steps_after(tokens, 1);
  const std::uint64_t chunks = (tokens + chunk_tokens - 1) / chunk_tokens;
  EXPECT_EQ(pass.tally().passes, 1U);
  EXPECT_EQ(pass.tally().tokens, tokens);
  EXPECT_EQ(pass.tally().chunks, chunks);
  EXPECT_EQ(pass.tally().launches, chunks * (2 * 5 + 1) + 1);
  // Two arrays may happen to lie together.
  EXPECT_GE(pass.tally().products, chunks * 2 * 4);
  EXPECT_LE(pass.tally().products, chunks * 2 * 7);
}

TEST(PrefillPass, leaves_what_as_many_steps_leave) {
  ASSAY_NEEDS_GPU();
  for (const element type : {element::bf16, element::f16, element::f32}) {
    SCOPED_TRACE("type " + std::to_string(static_cast<int>(type)));
    const prefilled on(type, {4, 2, 64}, 16);
    for (const std::uint32_t tokens : {1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 128U, 129U, 146U}) {
      check(on, tokens, 2048);
      if (HasFatalFailure()) return;
    }
    std::printf("type %d: logits after a pass differ by %.2e at most\n", static_cast<int>(type),
                on.worst());
  }
}

TEST(PrefillPass, goes_on_from_chunk_to_chunk) {
  ASSAY_NEEDS_GPU();
  for (const element type : {element::bf16, element::f32}) {
    SCOPED_TRACE("type " + std::to_string(static_cast<int>(type)));
    const prefilled on(type, {4, 1, 32}, 7);
    for (const std::uint32_t chunk : {1U, 7U, 16U, 63U, 64U, 100U, 146U}) {
      check(on, 146, chunk);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(PrefillPass, covers_every_head_size_and_group) {
  ASSAY_NEEDS_GPU();
  for (const element type : {element::bf16, element::f16, element::f32})
    for (const heads_of h : {heads_of{4, 4, 16}, {6, 2, 16}, {6, 1, 32}, {3, 3, 64}, {4, 1, 128}}) {
      SCOPED_TRACE("type " + std::to_string(static_cast<int>(type)) + ", heads " +
                   std::to_string(h.heads) + "/" + std::to_string(h.kv_heads) + " x " +
                   std::to_string(h.head_dim));
      const prefilled on(type, h, 16);
      check(on, 140, 90);
      if (HasFatalFailure()) return;
    }
}

TEST(PrefillPass, takes_over_from_steps_and_from_another_pass) {
  ASSAY_NEEDS_GPU();
  const prefilled on(element::bf16, {4, 2, 128}, 16);
  on.start();
  on.expect_steps_after(0, 0);
  graph::prefill_pass pass = on.pass(2048);
  ASSERT_TRUE(pass.submit(3, 62));
  on.expect_at(64, 4);
  ASSERT_TRUE(pass.submit(65, 70));
  on.expect_at(134, 5);
  on.expect_steps_after(135, 5);
  EXPECT_EQ(pass.tally().passes, 2U);
  EXPECT_EQ(pass.tally().tokens, 132U);
}

TEST(PrefillPass, is_made_ready_without_a_run_and_counts_nothing_of_it) {
  ASSAY_NEEDS_GPU();
  const prefilled on(element::bf16, {4, 2, 128}, 16);
  graph::prefill_pass pass = on.pass(2048);
  on.start();
  ASSERT_TRUE(pass.submit(0, 20));
  on.expect_at(19, 1);
  const graph::prefill_tally before = pass.tally();
  const std::vector<std::byte> left = on.memory();
  for (const std::uint32_t tokens : {8U, 64U, 146U}) {
    const auto warmed = pass.warm_up(tokens);
    ASSERT_TRUE(warmed) << warmed.error().message;
  }
  on.expect_at(19, 1);
  EXPECT_EQ(on.memory(), left);
  EXPECT_EQ(pass.tally().products, before.products);
  EXPECT_EQ(pass.tally().launches, before.launches);
  EXPECT_EQ(pass.tally().chunks, before.chunks);
  ASSERT_TRUE(pass.submit(20, 40));
  on.expect_at(59, 2);
}

TEST(PrefillPass, tells_of_what_it_enqueues_after_a_warm_up_that_failed) {
  ASSAY_NEEDS_GPU();
  const prefilled on(element::bf16, {4, 2, 128}, 16);
  graph::prefill_pass pass = on.pass(2048);
  std::uint32_t told = 0;
  pass.enqueue_through([&](std::uint32_t, const auto& work) -> result<void> {
    ++told;
    return work();
  });
  // A stream that is captured by somebody else cannot be captured anew.
  const cudaStream_t stream = on.site().stream;
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_FALSE(pass.warm_up(20));
  cudaGraph_t graph = nullptr;
  (void)cudaStreamEndCapture(stream, &graph);
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
  EXPECT_EQ(told, 0U);
  on.start();
  ASSERT_TRUE(pass.submit(0, 20));
  on.expect_at(19, 1);
  EXPECT_EQ(told, pass.tally().launches + pass.tally().products);
}

// A warm-up runs nothing, so addresses that no kernel could use do for the driver to refuse.
TEST(PrefillPass, attends_by_warps_and_says_why_where_the_driver_makes_no_maps) {
  ASSAY_NEEDS_GPU();
  const prefilled on(element::bf16, {4, 2, 128}, 16);
  graph::prefill_pass pass = on.pass(2048, 8);
  const auto warmed = pass.warm_up(20);
  ASSERT_TRUE(warmed) << warmed.error().message;
  const std::string& why = pass.attention_reason();
  EXPECT_NE(why.find("cuTensorMapEncodeTiled: cudaErrorInvalidValue"), std::string::npos) << why;
  graph::prefill_pass other = on.pass(2048);
  ASSERT_TRUE(other.warm_up(20));
  EXPECT_EQ(other.attention_reason(), "");
}

/// Of every operator the same: whether its weights have just been copied.
class saying_gate final : public graph::operator_gate {
 public:
  explicit saying_gate(bool is_apart) : is_apart_(is_apart) {}
  result<bool> before(graph::weight_operator, std::uint32_t) override { return is_apart_; }
  result<void> after(graph::weight_operator, std::uint32_t) override { return {}; }

 private:
  bool is_apart_;
};

/// Kernels of a pass over 20 tokens that may begin before the one ahead of them has ended.
void count_early(const prefilled& on, bool is_apart, std::size_t& early) {
  graph::prefill_pass pass = on.pass(2048);
  saying_gate gate(is_apart);
  pass.bring_weights_by(gate);
  const cudaStream_t stream = on.site().stream;
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  const auto submitted = pass.submit(0, 20);
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  ASSERT_TRUE(submitted) << submitted.error().message;
  std::size_t count = 0;
  ASSERT_CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  std::vector<cudaGraphNode_t> from(count);
  std::vector<cudaGraphNode_t> to(count);
  std::vector<cudaGraphEdgeData> edges(count);
  ASSERT_CUDA(cudaGraphGetEdges(graph, from.data(), to.data(), edges.data(), &count));
  early = static_cast<std::size_t>(
      std::count_if(edges.begin(), edges.end(), [](const cudaGraphEdgeData& each) {
        return each.type == cudaGraphDependencyTypeProgrammatic;
      }));
  ASSERT_CUDA(cudaGraphDestroy(graph));
}

// Under a memory limit a gain may still be on its way while the kernel ahead runs: a norm that
// fetched it then would take what lay there before.
TEST(PrefillPass, begins_no_operator_early_whose_weights_have_just_been_copied) {
  ASSAY_NEEDS_GPU();
  const prefilled on(element::bf16, {4, 2, 128}, 16);
  std::size_t early = 0;
  std::size_t early_apart = 0;
  count_early(on, false, early);
  if (HasFatalFailure()) return;
  count_early(on, true, early_apart);
  if (HasFatalFailure()) return;
  // A layer has two norms of rows and one of heads.
  EXPECT_EQ(early - early_apart, 2U * 3U) << early << " and " << early_apart;
}

}  // namespace
}  // namespace assay::test
