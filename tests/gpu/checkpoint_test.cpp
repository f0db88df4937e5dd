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

#include "scenarios/synth/synth.h"
#include "tests/engine/reference_file.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/running_gpu_engine.h"

namespace assay::test {
namespace {

using engine_test::reference_file;
using engine_test::relative_difference;
using id = telemetry::counter_id;

const std::string micro = "scenarios/embedded/micro-qwen3";

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
    running_gpu_engine model(folder, {}, {.prefill = {.from_tokens = from_tokens}});
    const auto got = engine_test::expect(model->forward(ids, 32));
    const double difference = distance(got, want);
    std::printf(
        "%s, passes from %u: relative error %.2e, max difference %.2e of the largest logit\n",
        name.c_str(), from_tokens, difference, relative_difference(got, want));
    EXPECT_LE(difference, from_tokens == 0 ? most : most_after_passes);
    const auto& greedy = reference.ids("greedy_ids");
    expect_greedy(reference, model.generate(ids, static_cast<std::uint32_t>(greedy.size()), 5));
    EXPECT_EQ(model.counter(id::prefill_calls_count) > 0, from_tokens > 0)
        << model->facts()[0].words;
    const std::size_t of_prompt = from_tokens > 0 ? 0 : ids.size();
    EXPECT_EQ(model.counter(id::graph_replays_count),
              static_cast<std::int64_t>(of_prompt + greedy.size() - 1));
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
  const auto gpu = engine_test::expect(device::cuda_device::create({}));
  telemetry::registry counters;
  const auto refused = engine::gpu_engine::load(folder, *gpu, *gpu, counters, {});
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
    running_gpu_engine model(micro, {},
                             {.prefill = {.from_tokens = from_tokens, .chunk_tokens = 256}});
    for (const std::string name : {"logits40", "logits200", "logits600"}) {
      const auto got = engine_test::expect(model->forward(reference.ids(name + ".ids"), 16));
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
    running_gpu_engine model(micro, {.kv_page_tokens = 7}, {.prefill = {.chunk_tokens = 200}});
    const auto chosen = model.generate(prompt, 64, 9);
    EXPECT_GT(model.counter(id::prefill_calls_count), 0) << model->facts()[0].words;
    EXPECT_EQ(model.counter(id::graph_replays_count), 63);
    expect_same_choices(host, prompt, chosen);
  }
}

// Each kernel and each product of a pass is a call: 4 layers of 5 and 4, ends, chunk by chunk. A
// token as the only one of its chunk reads every layer's weights once more.
TEST(Checkpoint, counts_what_a_pass_of_several_chunks_does) {
  ASSAY_NEEDS_GPU();
  const std::vector<std::int32_t> prompt(401, 7);
  running_gpu_engine whole(micro, {}, {});
  running_gpu_engine model(micro, {}, {.prefill = {.chunk_tokens = 200}});
  for (running_gpu_engine* each : {&whole, &model}) (void)each->generate(prompt, 1);
  EXPECT_EQ(whole.counter(id::prefill_calls_count), 4 * (5 + 4) + 2);
  EXPECT_EQ(model.counter(id::prefill_calls_count), 3 * (4 * (5 + 4) + 1) + 1);
  EXPECT_EQ(model.counter(id::graph_replays_count), 0);
  EXPECT_EQ(model.counter(id::compute_launches_count) >= model.counter(id::prefill_calls_count),
            true);
  const std::int64_t once = whole.counter(id::compute_weight_bytes);
  const std::int64_t thrice = model.counter(id::compute_weight_bytes);
  EXPECT_GT(thrice, once);
  EXPECT_LT(thrice, 3 * once) << "the head is read once";
  EXPECT_EQ(whole.counter(id::kv_read_bytes), model.counter(id::kv_read_bytes));
  EXPECT_EQ(whole.counter(id::device_submissions_count),
            whole.counter(id::weights_h2d_copies_count) + 4 + 1 + 2 + 5 +
                whole.counter(id::prefill_calls_count));
}

TEST(Checkpoint, goes_token_by_token_where_no_pass_can_run_and_says_why) {
  ASSAY_NEEDS_GPU();
  // Room for weights and pages, not for cuBLAS's workspace.
  running_gpu_engine model(micro, {}, {}, 32U << 20);
  EXPECT_FALSE(model->has_passes());
  EXPECT_NE(model->facts()[0].words.find("token by token: GPU memory"), std::string::npos)
      << model->facts()[0].words;
  EXPECT_EQ(model.counter(id::arena_allocations_count), 3);
  const std::vector<std::int32_t> prompt(40, 7);
  EXPECT_EQ(model.generate(prompt, 2).size(), 2U);
  EXPECT_EQ(model.counter(id::graph_replays_count), 41);
  EXPECT_EQ(model.counter(id::prefill_calls_count), 0);
  running_gpu_engine asked(micro, {}, {.prefill = {.from_tokens = 0}});
  EXPECT_EQ(asked->facts()[0].words, "token by token: not asked for");
}

TEST(Checkpoint, chooses_what_the_host_device_chooses) {
  ASSAY_NEEDS_GPU();
  const reference_file reference(tree(micro + "/reference.safetensors"));
  engine_test::running_engine host(tree(micro));
  running_gpu_engine model(micro);
  for (const std::string name : {"prompt0", "prompt1", "prompt2", "prompt3"}) {
    SCOPED_TRACE(name);
    const auto& prompt = reference.ids(name + ".ids");
    const auto chosen = model.generate(prompt, 128, 16);
    ASSERT_EQ(chosen.size(), 128U);
    expect_same_choices(host, prompt, chosen);
    EXPECT_EQ(model.counter(id::engine_decode_steps_count), 127);
    EXPECT_EQ(model.counter(id::sampling_draws_count), 128);
    EXPECT_EQ(model.counter(id::choices_d2h_copies_count), 1 + 8);
  }
  EXPECT_EQ(model.counter(id::graph_captures_count), 1) << "a new prompt needs no new graph";
  EXPECT_EQ(model.counter(id::graph_eager_steps_count), 0);
}

TEST(Checkpoint, eager_and_replayed_steps_give_the_same_ids) {
  ASSAY_NEEDS_GPU();
  std::vector<std::int32_t> prompt(20);
  std::iota(prompt.begin(), prompt.end(), 100);
  std::vector<std::vector<std::int32_t>> runs;
  for (const bool is_eager : {false, true})
    for (const std::uint32_t together : {1U, 16U, 1000U}) {
      running_gpu_engine model(micro, {.kv_page_tokens = 7},
                               {.is_eager = is_eager, .prefill = {.from_tokens = 0}});
      runs.push_back(model.generate(prompt, 281, together));
      EXPECT_EQ(model.counter(id::graph_replays_count), is_eager ? 0 : 300);
      EXPECT_EQ(model.counter(id::graph_eager_steps_count), is_eager ? 300 : 0);
      EXPECT_EQ(model->facts()[1].words,
                is_eager ? "kernel by kernel: asked for" : "replays of a graph of 21 kernels");
    }
  for (const auto& each : runs) EXPECT_EQ(each, runs[0]);
}

// The same generator, the same order of probabilities; logits that differ by rounding move a draw
// only where it falls next to an edge.
TEST(Checkpoint, draws_at_a_temperature_as_the_host_does) {
  ASSAY_NEEDS_GPU();
  const reference_file reference(tree(micro + "/reference.safetensors"));
  const auto& prompt = reference.ids("prompt1.ids");
  engine_test::running_engine host(tree(micro));
  running_gpu_engine model(micro);
  std::size_t equal = 0;
  constexpr std::uint32_t tokens = 12;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto want = host.generate(prompt, {tokens, 0.8, seed, false});
    const auto got = model.generate(prompt, tokens, 16, 0.8, seed);
    ASSERT_EQ(got.size(), tokens);
    equal += got == want ? 1 : 0;
    EXPECT_EQ(got, model.generate(prompt, tokens, 1, 0.8, seed)) << "the same seed";
  }
  std::printf("temperature 0.8: %zu of 20 texts are the host's to the last id\n", equal);
  EXPECT_GE(equal, 12U);
  EXPECT_EQ(model.counter(id::sampling_random_draws_count), tokens);
  EXPECT_EQ(model.counter(id::logits_d2h_copies_count), tokens);
  EXPECT_EQ(model.counter(id::logits_d2h_bytes), tokens * 2048 * 4);
  EXPECT_EQ(model.reading(id::choices_d2h_bytes).state, telemetry::reading_state::not_applicable);
  // Each step hands its id over; greedy again, nothing does.
  const std::int64_t drawn_inputs = model.counter(id::inputs_h2d_copies_count);
  (void)model.generate(prompt, tokens);
  EXPECT_EQ(model.counter(id::inputs_h2d_copies_count), drawn_inputs - (tokens - 1));
  EXPECT_EQ(model.reading(id::logits_d2h_bytes).state, telemetry::reading_state::not_applicable);
  EXPECT_EQ(model.counter(id::sampling_random_draws_count), 0);
}

TEST(Checkpoint, says_in_one_line_what_it_cannot_decode) {
  ASSAY_NEEDS_GPU();
  running_gpu_engine model(micro, {.context_tokens = 32});
  const engine::request_options greedy{8, 0.0, 0, false};
  EXPECT_EQ(model->begin_request({}, greedy).error().kind, error_kind::unusable_input);
  const std::vector<std::int32_t> strange{1, 2048};
  EXPECT_EQ(model->begin_request(strange, greedy).error().kind, error_kind::unusable_input);
  EXPECT_EQ(model->begin_request(std::vector<std::int32_t>(33, 1), greedy).error().kind,
            error_kind::unusable_input);
  const std::vector<std::int32_t> full(32, 1);
  engine_test::expect(model->begin_request(full, greedy));
  EXPECT_EQ(engine_test::expect(model->prefill()).stopped, engine::stop_reason::context_full);
  EXPECT_EQ(model->decode_step().error().kind, error_kind::usage);
}

}  // namespace
}  // namespace assay::test
