// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a GPU could decode another model than the host does: every kernel right, a weight
// in the wrong place.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include <unistd.h>

#include "runtime/engine/cuda/gpu_decoder.h"
#include "scenarios/synth/synth.h"
#include "tests/engine/reference_file.h"
#include "tests/engine/running_engine.h"
#include "tests/gpu/gpu_gate.h"

namespace assay::test {
namespace {

using engine::gpu_decoder;
using engine_test::reference_file;
using engine_test::relative_difference;

/// From the working directory, where the binary was carried to another machine.
std::filesystem::path tree(const std::string& path) {
  if (std::filesystem::exists(path)) return path;
  return std::filesystem::path(ASSAY_SOURCE_DIR) / path;
}

const std::string micro = "scenarios/embedded/micro-qwen3";

struct loaded {
  std::unique_ptr<device::cuda_device> gpu;
  std::unique_ptr<gpu_decoder> decoder;

  explicit loaded(const std::string& folder, engine::gpu_options options = {}) {
    const auto from = engine_test::expect(checkpoint::checkpoint::open(tree(folder)));
    gpu = engine_test::expect(
        device::cuda_device::create({.memory_limit_bytes = std::uint64_t{1} << 30}));
    decoder = engine_test::expect(gpu_decoder::load(from, *gpu, options));
  }
  gpu_decoder* operator->() const { return decoder.get(); }

  /// Logits of the last `rows` positions of a prompt.
  std::vector<float> last_logits(std::span<const std::int32_t> ids, std::size_t rows) {
    engine_test::expect(decoder->begin(ids));
    engine_test::expect(decoder->enqueue(static_cast<std::uint32_t>(ids.size() - rows)));
    std::vector<float> all;
    for (std::size_t i = 0; i < rows; ++i) {
      engine_test::expect(decoder->enqueue(1));
      const auto one = engine_test::expect(decoder->logits());
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
};

double distance(std::span<const float> got, std::span<const float> want) {
  double difference = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += std::pow(double{got[i]} - double{want[i]}, 2);
    norm += std::pow(double{want[i]}, 2);
  }
  return std::sqrt(difference / norm);
}

/// Ids as the reference chose them, up to the first that it held for nearly equal to another.
void expect_greedy(const reference_file& reference, const std::vector<std::int32_t>& chosen) {
  const auto& greedy = reference.ids("greedy_ids");
  const auto& margins = reference.reals("greedy_margins");
  const auto& logits = reference.reals("greedy_step_logits");
  const float largest = std::abs(*std::max_element(
      logits.begin(), logits.end(), [](float a, float b) { return std::abs(a) < std::abs(b); }));
  ASSERT_EQ(chosen.size(), greedy.size());
  for (std::size_t i = 0; i < greedy.size(); ++i) {
    if (chosen[i] == greedy[i]) continue;
    EXPECT_LE(margins[i], 0.02F * largest) << "step " << i << ": " << chosen[i];
    std::printf("greedy: %zu ids equal, then a margin of %.3f\n", i, double{margins[i]});
    return;
  }
}

/// Logits of the last 32 positions and what follows, by steps alone, by a pass and steps, and by
/// passes alone, the last 32 of them of one token.
void check_fixture(const std::string& name, double most, double most_after_passes) {
  const std::string folder = "tests/fixtures/tiny/" + name;
  const reference_file reference(tree(folder + "/reference.safetensors"));
  const auto& ids = reference.ids("input_ids");
  const auto& want = reference.reals("logits_last32");
  for (const std::uint32_t from_tokens : {0U, 32U, 1U}) {
    SCOPED_TRACE(name + ", passes from " + std::to_string(from_tokens) + " tokens");
    loaded model(folder, {.prefill = {.from_tokens = from_tokens}});
    const auto got = model.last_logits(ids, 32);
    const double difference = distance(got, want);
    std::printf(
        "%s, passes from %u: relative error %.2e, max difference %.2e of the largest logit\n",
        name.c_str(), from_tokens, difference, relative_difference(got, want));
    EXPECT_LE(difference, from_tokens == 0 ? most : most_after_passes);
    const std::uint64_t passes = from_tokens == 0 ? 0 : from_tokens == 1 ? 33 : 1;
    EXPECT_EQ(model->prefill().tally().passes, passes) << model->prefill().refused_reason();
    engine_test::expect(
        model->enqueue(static_cast<std::uint32_t>(reference.ids("greedy_ids").size()) - 1));
    expect_greedy(reference,
                  engine_test::expect(model->chosen(static_cast<std::uint32_t>(ids.size()) - 1)));
  }
}

// Three families and their features: biases, stretched and plain angles, normed heads, heads of 16
// and of 32 values, one to three query heads a KV head, a head of its own and a tied one.
TEST(Checkpoint, f32_logits_and_greedy_ids_equal_the_reference) {
  ASSAY_NEEDS_GPU();
  for (const std::string name : {"llama", "llama3", "qwen3", "qwen2"})
    check_fixture(name, 1e-5, 1e-5);
}

TEST(Checkpoint, narrow_weights_stay_near_the_reference) {
  ASSAY_NEEDS_GPU();
  check_fixture("qwen2-f16", 4e-3, 4e-3);
  // A pass rounds its activations as well.
  check_fixture("llama-bf16-sharded", 2e-2, 3e-2);
}

TEST(Checkpoint, refuses_heads_that_no_kernel_covers) {
  ASSAY_NEEDS_GPU();
  synth::shape shape = engine_test::expect(synth::find_shape("llama-3.2-1b"));
  shape.vocab_rows = 512;
  shape.hidden = 96;
  shape.intermediate = 96;
  shape.layers = 1;
  shape.heads = 4;
  shape.kv_heads = 4;
  shape.head_dim = 24;
  shape.context_tokens = 64;
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("heads_of_24_" + std::to_string(getpid()));
  engine_test::expect(synth::write_checkpoint(
      shape, 1, folder, [](std::uint64_t, std::uint64_t) -> result<void> { return {}; }));
  const auto from = engine_test::expect(checkpoint::checkpoint::open(folder));
  const auto gpu = engine_test::expect(device::cuda_device::create({}));
  const auto refused = gpu_decoder::load(from, *gpu, {});
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::unusable_input);
  EXPECT_NE(refused.error().message.find("heads of 24"), std::string::npos);
  EXPECT_NE(refused.error().message.find("--device host"), std::string::npos);
}

/// Where an id is not the host's first choice, the host must hold the two for nearly equal.
void expect_same_choices(engine_test::running_engine& host, std::span<const std::int32_t> prompt,
                         const std::vector<std::int32_t>& chosen) {
  std::vector<std::int32_t> all(prompt.begin(), prompt.end());
  all.insert(all.end(), chosen.begin(), chosen.end() - 1);
  const auto pass = engine_test::expect(host->forward(all));
  const std::size_t width = pass.logits.size() / all.size();
  std::size_t others = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::span<const float> row(pass.logits.data() + (prompt.size() - 1 + i) * width, width);
    const auto best = std::max_element(row.begin(), row.end());
    const float gap = *best - row[static_cast<std::size_t>(chosen[i])];
    if (gap > 0.0F) ++others;
    // bf16 rounding of cached rows moves a logit by about 0.5 % of the largest.
    ASSERT_LE(gap, 0.02F * std::abs(*best))
        << "step " << i << ", id " << chosen[i] << " for " << best - row.begin();
  }
  std::printf("greedy: %zu of %zu ids are the host's second choice, all within the gap\n", others,
              chosen.size());
  EXPECT_LE(others, chosen.size() / 20);
}

// From 1: the last 16 positions are passes too, of one token each.
TEST(Checkpoint, micro_bf16_logits_are_as_near_to_f32_as_another_bf16) {
  ASSAY_NEEDS_GPU();
  const reference_file reference(tree(micro + "/reference.safetensors"));
  for (const std::uint32_t from_tokens : {0U, 1U}) {
    loaded model(micro, {.prefill = {.from_tokens = from_tokens, .chunk_tokens = 256}});
    for (const std::string name : {"logits40", "logits200", "logits600"}) {
      const auto got = model.last_logits(reference.ids(name + ".ids"), 16);
      const auto& want = reference.reals(name + ".last16");
      const double ours = distance(got, want);
      const double others = distance(reference.reals(name + ".last16_bf16"), want);
      std::printf("%s, passes from %u: relative error %.2e, of the reference in bf16 %.2e\n",
                  name.c_str(), from_tokens, ours, others);
      EXPECT_LE(ours, 2e-2) << name;
      EXPECT_LE(ours, others * 1.25) << name;
    }
  }
}

TEST(Checkpoint, chooses_after_a_pass_what_it_chooses_after_steps) {
  ASSAY_NEEDS_GPU();
  const reference_file reference(tree(micro + "/reference.safetensors"));
  engine_test::running_engine host(tree(micro));
  const std::vector<std::int32_t>& all = reference.ids("logits600.ids");
  for (const std::size_t tokens : {32U, 63U, 64U, 65U, 129U, 600U}) {
    SCOPED_TRACE(std::to_string(tokens) + " tokens");
    const std::vector<std::int32_t> prompt(all.begin(),
                                           all.begin() + static_cast<std::ptrdiff_t>(tokens));
    loaded model(micro, {.page_tokens = 7, .prefill = {.chunk_tokens = 200}});
    engine_test::expect(model->begin(prompt));
    engine_test::expect(model->enqueue(static_cast<std::uint32_t>(tokens) + 63));
    EXPECT_EQ(model->prefill().tally().tokens, tokens) << model->prefill().refused_reason();
    EXPECT_EQ(model->tally().replays, 63U);
    const auto last = static_cast<std::uint32_t>(tokens) - 1;
    expect_same_choices(host, prompt, engine_test::expect(model->chosen(last)));
    const auto early = model->chosen(last - 1);
    ASSERT_FALSE(early) << "a pass chooses nothing before its last token";
    EXPECT_EQ(early.error().kind, error_kind::usage);
  }
}

TEST(Checkpoint, goes_token_by_token_where_no_pass_can_run_and_says_why) {
  ASSAY_NEEDS_GPU();
  const auto from = engine_test::expect(checkpoint::checkpoint::open(tree(micro)));
  // Room for weights and pages, not for cuBLAS's workspace.
  const auto gpu =
      engine_test::expect(device::cuda_device::create({.memory_limit_bytes = 32U << 20}));
  const auto decoder = engine_test::expect(gpu_decoder::load(from, *gpu, {}));
  EXPECT_NE(decoder->prefill().refused_reason(), "");
  EXPECT_EQ(decoder->prefill().scratch_bytes(), 0U);
  const std::vector<std::int32_t> prompt(40, 7);
  engine_test::expect(decoder->begin(prompt));
  engine_test::expect(decoder->enqueue(41));
  EXPECT_EQ(engine_test::expect(decoder->chosen(0)).size(), 41U);
  EXPECT_EQ(decoder->tally().replays, 41U);
  EXPECT_EQ(decoder->prefill().tally().passes, 0U);
  loaded asked(micro, {.prefill = {.from_tokens = 0}});
  EXPECT_EQ(asked->prefill().refused_reason(), "not asked for");
}

TEST(Checkpoint, chooses_what_the_host_device_chooses) {
  ASSAY_NEEDS_GPU();
  const reference_file reference(tree(micro + "/reference.safetensors"));
  engine_test::running_engine host(tree(micro));
  loaded model(micro);
  for (const std::string name : {"prompt0", "prompt1", "prompt2", "prompt3"}) {
    SCOPED_TRACE(name);
    const auto& prompt = reference.ids(name + ".ids");
    const auto count = static_cast<std::uint32_t>(prompt.size()) + 127;
    engine_test::expect(model->begin(prompt));
    engine_test::expect(model->enqueue(count));
    const auto chosen =
        engine_test::expect(model->chosen(static_cast<std::uint32_t>(prompt.size()) - 1));
    ASSERT_EQ(chosen.size(), 128U);
    expect_same_choices(host, prompt, chosen);
  }
  EXPECT_EQ(model->tally().captures, 1U) << "a new prompt needs no new graph";
  EXPECT_EQ(model->tally().eager_steps, 0U);
}

TEST(Checkpoint, eager_and_replayed_steps_give_the_same_ids) {
  ASSAY_NEEDS_GPU();
  std::vector<std::int32_t> prompt(20);
  std::iota(prompt.begin(), prompt.end(), 100);
  std::vector<std::vector<std::int32_t>> runs;
  for (const bool is_eager : {false, true}) {
    loaded model(micro, {.page_tokens = 7, .is_eager = is_eager});
    engine_test::expect(model->begin(prompt));
    engine_test::expect(model->enqueue(300));
    runs.push_back(engine_test::expect(model->chosen(0)));
    EXPECT_EQ(model->tally().replays, is_eager ? 0U : 300U);
    EXPECT_EQ(model->tally().eager_steps, is_eager ? 300U : 0U);
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(Checkpoint, says_in_one_line_what_it_cannot_decode) {
  ASSAY_NEEDS_GPU();
  loaded model(micro, {.context_tokens = 32});
  EXPECT_EQ(model->begin({}).error().kind, error_kind::unusable_input);
  const std::vector<std::int32_t> strange{1, 2048};
  EXPECT_EQ(model->begin(strange).error().kind, error_kind::unusable_input);
  EXPECT_EQ(model->begin(std::vector<std::int32_t>(33, 1)).error().kind,
            error_kind::unusable_input);
  engine_test::expect(model->begin(std::vector<std::int32_t>(32, 1)));
  engine_test::expect(model->enqueue(32));
  EXPECT_EQ(model->enqueue(1).error().kind, error_kind::unusable_input);
  const auto from = engine_test::expect(checkpoint::checkpoint::open(tree(micro)));
  const auto small = engine_test::expect(device::cuda_device::create({.memory_limit_bytes = 4096}));
  const auto refused = gpu_decoder::load(from, *small, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::out_of_memory);
}

}  // namespace
}  // namespace assay::test
