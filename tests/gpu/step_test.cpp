// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, kernels that are right one by one could read each other's results too early: they
// overlap on purpose, and a replayed graph hides which ran when.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include <cxxabi.h>

#include "runtime/graph/captured_step.h"
#include "runtime/graph/decode_step.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/small_model.h"

namespace assay::test {
namespace {

using graph::captured_step;
using graph::decode_step;

graph::decode_shape small_shape(element type) {
  graph::decode_shape shape;
  shape.type = type;
  shape.hidden = 256;
  shape.intermediate = 768;
  shape.layers = 3;
  shape.heads = 8;
  shape.kv_heads = 4;
  shape.head_dim = 64;
  shape.vocab_rows = 1000;
  shape.page_tokens = 16;
  shape.context_pages = 8;
  shape.eps = 1e-6F;
  return shape;
}

const std::vector<std::int32_t> prompt{3, 141, 59, 26, 535, 897, 93, 238, 462, 643};
constexpr std::uint32_t steps = 60;

class own_stream {
 public:
  own_stream() { (void)cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  ~own_stream() { (void)cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

ops::cuda::launch_site site_on(const own_stream& stream) {
  ops::cuda::launch_site site;
  site.stream = stream.get();
  return site;
}

/// What each position was given, from what was chosen at the one before.
std::vector<std::int32_t> inputs_of(const std::vector<std::int32_t>& chosen) {
  std::vector<std::int32_t> tokens = prompt;
  for (std::size_t p = prompt.size(); p < steps; ++p) tokens.push_back(chosen[p - 1]);
  return tokens;
}

void follow_the_reference(bool is_variant) {
  for (const element type : {element::bf16, element::f16, element::f32}) {
    SCOPED_TRACE("type " + std::to_string(static_cast<int>(type)));
    const small_model model(small_shape(type), prompt, 21);
    const own_stream stream;
    ops::cuda::launch_site site = site_on(stream);
    site.has_short_stages = site.has_tensor_attention = is_variant;
    const decode_step step = model.step(site);
    std::vector<std::vector<float>> logits;
    for (std::uint32_t i = 0; i < steps; ++i) {
      const auto submitted = step.submit();
      ASSERT_TRUE(submitted) << submitted.error().message;
      ASSERT_CUDA(cudaStreamSynchronize(stream.get()));
      logits.push_back(model.logits());
    }
    const auto chosen = model.chosen();
    const auto wanted = model.reference_logits(inputs_of(chosen));
    for (std::uint32_t i = 0; i < steps; ++i) {
      // A cached row rounds to the neighbour where f32 and double disagree in the last bit.
      ASSERT_LT(relative_error(logits[i], wanted[i]), type == element::f32 ? 2e-5 : 4e-3)
          << "step " << i;
      const auto best = std::max_element(logits[i].begin(), logits[i].end());
      ASSERT_EQ(chosen[i], best - logits[i].begin()) << "step " << i;
    }
    EXPECT_EQ(model.state().steps, steps);
  }
}

TEST(DecodeStep, follows_the_reference_in_double_token_by_token) {
  ASSAY_NEEDS_GPU();
  follow_the_reference(false);
}

TEST(DecodeStep, follows_it_with_short_stages_and_on_tensor_cores) {
  ASSAY_NEEDS_GPU();
  follow_the_reference(true);
}

void replay_and_compare(bool is_variant) {
  const small_model model(small_shape(element::bf16), prompt, 22);
  const own_stream stream;
  ops::cuda::launch_site site = site_on(stream);
  site.has_short_stages = site.has_tensor_attention = is_variant;
  if (is_variant) site.ring_bytes = 96U * 1024;
  const decode_step step = model.step(site);
  for (std::uint32_t i = 0; i < steps; ++i) {
    ASSERT_TRUE(step.submit());
    ASSERT_CUDA(cudaStreamSynchronize(stream.get()));
  }
  const auto one_by_one = model.chosen();
  const auto last = model.logits();
  for (int round = 0; round < 20; ++round) {
    model.rewind();
    captured_step replayed(stream.get(), [&] { return step.submit(); });
    for (std::uint32_t i = 0; i < steps; ++i) ASSERT_TRUE(replayed.run());
    ASSERT_CUDA(cudaStreamSynchronize(stream.get()));
    ASSERT_EQ(model.chosen(), one_by_one) << "round " << round;
    ASSERT_EQ(model.logits(), last) << "round " << round;
    const graph::graph_tally& tally = replayed.tally();
    EXPECT_EQ(tally.eager_reason, "");
    EXPECT_EQ(tally.captures, 1U);
    EXPECT_EQ(tally.instantiations, 1U);
    EXPECT_EQ(tally.replays, steps);
    EXPECT_EQ(tally.eager_steps, 0U);
    EXPECT_EQ(tally.kernel_nodes, step.launches());
  }
}

TEST(DecodeStep, replayed_without_a_host_wait_equals_one_by_one) {
  ASSAY_NEEDS_GPU();
  replay_and_compare(false);
}

TEST(DecodeStep, does_so_with_short_stages_and_on_tensor_cores) {
  ASSAY_NEEDS_GPU();
  replay_and_compare(true);
}

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : symbol;
}

/// Kernels that the step is captured as, and how often.
void names_of_nodes(const own_stream& stream, const decode_step& step,
                    std::map<std::string, int>& names) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  const auto submitted = step.submit();
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  ASSERT_TRUE(submitted) << submitted.error().message;
  std::size_t count = 0;
  ASSERT_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  ASSERT_CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  for (const cudaGraphNode_t node : nodes) {
    cudaKernelNodeParams kernel{};
    const char* symbol = nullptr;
    ASSERT_CUDA(cudaGraphKernelNodeGetParams(node, &kernel));
    ASSERT_CUDA(cudaFuncGetName(&symbol, kernel.func));
    ++names[readable(symbol)];
  }
  ASSERT_CUDA(cudaGraphDestroy(graph));
}

// Few steps: racecheck looks at each access of a replay, and takes minutes for sixty. The names are
// what a page of evidence says was looked at.
TEST(ReplayedStep, gives_what_eager_steps_give) {
  ASSAY_NEEDS_GPU();
  constexpr std::uint32_t few = 4;
  const small_model model(small_shape(element::bf16), prompt, 24);
  const own_stream stream;
  const decode_step step = model.step(site_on(stream));
  for (std::uint32_t i = 0; i < few; ++i) {
    ASSERT_TRUE(step.submit());
    ASSERT_CUDA(cudaStreamSynchronize(stream.get()));
  }
  const auto chosen = model.chosen();
  const auto logits = model.logits();
  model.rewind();
  captured_step replayed(stream.get(), [&] { return step.submit(); });
  for (std::uint32_t i = 0; i < few; ++i) ASSERT_TRUE(replayed.run());
  ASSERT_CUDA(cudaStreamSynchronize(stream.get()));
  EXPECT_EQ(model.chosen(), chosen);
  EXPECT_EQ(model.logits(), logits);
  EXPECT_EQ(model.state().steps, few);
  ASSERT_EQ(replayed.tally().replays, few) << replayed.tally().eager_reason;
  EXPECT_EQ(replayed.tally().eager_steps, 0U);
  std::map<std::string, int> names;
  names_of_nodes(stream, step, names);
  std::uint64_t kernels = 0;
  for (const auto& [name, times] : names) {
    std::printf("replayed kernel: %d x %s\n", times, name.c_str());
    kernels += static_cast<std::uint64_t>(times);
  }
  EXPECT_EQ(kernels, replayed.tally().kernel_nodes);
}

TEST(CapturedStep, falls_back_and_says_why) {
  ASSAY_NEEDS_GPU();
  const small_model model(small_shape(element::bf16), prompt, 23);
  const own_stream stream;
  const decode_step step = model.step(site_on(stream));
  // Waiting for the stream is what no capture survives.
  captured_step stepped(stream.get(), [&]() -> result<void> {
    ASSAY_TRY(step.submit());
    return device::cuda_try(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize", __FILE__,
                            __LINE__);
  });
  for (int i = 0; i < 3; ++i) {
    const auto ran = stepped.run();
    ASSERT_TRUE(ran) << ran.error().message;
  }
  EXPECT_EQ(stepped.tally().captures, 1U);
  EXPECT_EQ(stepped.tally().instantiations, 0U);
  EXPECT_EQ(stepped.tally().replays, 0U);
  EXPECT_EQ(stepped.tally().eager_steps, 3U);
  EXPECT_NE(stepped.tally().eager_reason.find("cudaStreamSynchronize"), std::string::npos)
      << stepped.tally().eager_reason;
  EXPECT_EQ(model.state().steps, 3U);
}

}  // namespace
}  // namespace assay::test
