// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a closed form of the GPU's ledger could be wrong where no GPU is there to show it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "scenarios/embedded.h"
#include "scenarios/gpu_ledger.h"
#include "scenarios/traffic.h"

namespace assay::scenarios_test {
namespace {

using id = telemetry::counter_id;
using namespace scenarios;

std::map<id, std::int64_t> by_counter(const std::vector<expectation>& all) {
  std::map<id, std::int64_t> found;
  for (const expectation& each : all) EXPECT_TRUE(found.emplace(each.counter, each.value).second);
  return found;
}

class GpuLedger : public testing::Test {
 protected:
  // 4 layers, heads of 32 values, 2 KV heads, bf16, a vocabulary of 2,048.
  const model_shape model = read_model_shape(embedded_checkpoint()).value();
  const cache_shape cache{2048, 16};
};

// Seventeen ids take two pages of 16; twenty steps more take a third, in a step of its own.
TEST_F(GpuLedger, of_a_request_counts_what_a_step_by_hand_would) {
  ASSERT_EQ(model.layers, 4);
  ASSERT_EQ(model.head_dim, 32);
  const gpu_mode mode{.is_first = true, .has_passes = false};
  auto said = by_counter(expect_gpu_request(model, cache, {17, 20}, mode));
  EXPECT_EQ(said[id::graph_replays_count], 37);
  EXPECT_EQ(gpu_launches(model, {17, 20}, mode).least, 37 * 21);
  EXPECT_EQ(gpu_launches(model, {17, 20}, mode).most, 37 * 21);
  EXPECT_EQ(said[id::prefill_calls_count], 0);
  EXPECT_EQ(said[id::inputs_h2d_copies_count], 5) << "ids, state, frequencies, table, one entry";
  EXPECT_EQ(said[id::inputs_h2d_bytes], 17 * 4 + 32 + 16 * 4 + 3 * 4);
  EXPECT_EQ(said[id::choices_d2h_bytes], 21 * 4);
  EXPECT_EQ(said[id::choices_d2h_copies_count], 21);
  EXPECT_EQ(said[id::device_events_count], 21 * 3 + 2 * 2);
  EXPECT_EQ(said[id::device_submissions_count], 37 + 5 + 21 + 67);
  EXPECT_EQ(said[id::device_syncs_count], 21);
  EXPECT_EQ(said[id::kv_allocated_pages], 3);
  EXPECT_EQ(said[id::kv_append_bytes], 37 * (4 * 2 * model.kv_heads * 32 * 2));
  EXPECT_EQ(said[id::kv_read_bytes], 37 * 38 / 2 * (4 * 2 * model.kv_heads * 32 * 2));
  EXPECT_EQ(said[id::compute_weight_bytes], 37 * pass_weight_bytes(model, 1));
  EXPECT_EQ(said[id::graph_captures_count], 1);
  EXPECT_EQ(by_counter(expect_gpu_request(model, cache, {17, 20},
                                          {.has_passes = false}))[id::graph_captures_count],
            0)
      << "one graph serves every request";
}

// The same request by a pass: the embedding, 4 layers of 5 kernels and 4 products, the head.
TEST_F(GpuLedger, of_a_pass_counts_each_kernel_and_each_product) {
  const gpu_mode mode{.is_first = true};
  auto said = by_counter(expect_gpu_request(model, cache, {17, 20}, mode));
  EXPECT_EQ(said[id::prefill_calls_count], 1 + 4 * (5 + 4) + 1);
  EXPECT_EQ(said[id::graph_replays_count], 20);
  EXPECT_EQ(said[id::graph_captures_count], 1);
  EXPECT_EQ(said[id::device_submissions_count], 20 + 38 + 5 + 21 + 67);
  EXPECT_EQ(gpu_launches(model, {17, 20}, mode).least, 20 * 21 + 38);
  EXPECT_EQ(gpu_launches(model, {17, 20}, mode).most, 20 * 21 + 38 + 16)
      << "a product may add up in a kernel of its own";
  EXPECT_EQ(said[id::compute_weight_bytes],
            pass_weight_bytes(model, 17) + 20 * pass_weight_bytes(model, 1));
  EXPECT_EQ(said[id::kv_read_bytes], 37 * 38 / 2 * (4 * 2 * model.kv_heads * 32 * 2));
  EXPECT_EQ(by_counter(expect_gpu_request(model, cache, {17, 0}, mode))[id::graph_captures_count],
            0)
      << "nothing stepped, nothing was captured";
  EXPECT_EQ(gpu_steps({7, 20}, mode), 27) << "seven ids are too few for a pass";
  EXPECT_EQ(gpu_steps({8, 20}, mode), 20);
}

// 2,049 ids are two chunks: every layer's weights once more, the head's and the norm's not.
TEST_F(GpuLedger, of_a_second_chunk_reads_the_layers_again) {
  const gpu_mode mode{};
  const std::int64_t one = gpu_weight_reads(model, {2048, 0}, mode);
  const std::int64_t two = gpu_weight_reads(model, {2049, 0}, mode);
  const std::int64_t row = model.hidden * 2;
  const std::int64_t tables = (model.is_head_tied ? 1 : 2) * model.vocab_rows * row;
  EXPECT_EQ(two - one, row + weight_bytes(model) - tables - row);
  EXPECT_EQ(gpu_prefill_calls(model, {2049, 0}, mode), 2 * (1 + 4 * 9) + 1);
}

// Biases lie between q, k and v: three products instead of one.
TEST_F(GpuLedger, of_biases_has_the_products_apart) {
  model_shape biased = model;
  biased.has_qkv_bias = true;
  EXPECT_EQ(gpu_prefill_calls(biased, {17, 0}, {}), 1 + 4 * (5 + 6) + 1);
  model_shape ragged = model;
  ragged.intermediate = 1;
  ragged.hidden = 33;
  EXPECT_EQ(gpu_prefill_calls(ragged, {17, 0}, {}), 1 + 4 * (5 + 5) + 1)
      << "a row of 66 bytes leaves a gap before the next matrix";
}

// Above temperature 0 logits come out, and each step takes the id that the host drew.
TEST_F(GpuLedger, of_a_drawn_request_has_logits_and_ids_both_ways) {
  const gpu_mode mode{.is_sampled = true};
  auto said = by_counter(expect_gpu_request(model, cache, {17, 20}, mode));
  EXPECT_EQ(said[id::logits_d2h_bytes], 21 * 2048 * 4);
  EXPECT_EQ(said[id::logits_d2h_copies_count], 21);
  EXPECT_EQ(said.count(id::choices_d2h_bytes), 0U);
  EXPECT_EQ(said[id::inputs_h2d_copies_count], 5 + 20);
  EXPECT_EQ(said[id::inputs_h2d_bytes], 17 * 4 + 32 + 16 * 4 + 3 * 4 + 20 * 4);
  EXPECT_EQ(said[id::device_events_count], 21 * 3 + 2 + 20 * 2)
      << "the third page's entry comes in a bracket with an id";
  EXPECT_EQ(said[id::sampling_random_draws_count], 21);
}

// A prompt that fills its page: the first step takes the next one.
TEST_F(GpuLedger, of_a_full_page_has_its_next_entry_in_the_first_step) {
  auto said = by_counter(expect_gpu_request(model, cache, {16, 1}, {}));
  EXPECT_EQ(said[id::inputs_h2d_copies_count], 5);
  EXPECT_EQ(said[id::device_events_count], 2 * 3 + 2 * 2);
}

TEST_F(GpuLedger, of_the_load_has_pages_as_wide_as_the_weights) {
  const arena_shape gpu = gpu_arena_of(model, cache, false);
  const arena_shape host = arena_of(model, cache);
  EXPECT_EQ(gpu.kv_bytes * 2, host.kv_bytes) << "bf16 beside f32";
  EXPECT_EQ(gpu.weights_bytes, host.weights_bytes);
  auto said = by_counter(expect_gpu_load(model, cache, false));
  EXPECT_EQ(said[id::arena_peak_bytes], gpu.total_bytes());
  EXPECT_EQ(said[id::arena_peak_bytes], 11'178'752) << "as an H200 had it (docs/evidence)";
  EXPECT_EQ(by_counter(expect_gpu_unload(false))[id::arena_frees_count], 3);
}

TEST_F(GpuLedger, of_the_load_with_passes_has_what_a_chunk_writes) {
  auto said = by_counter(expect_gpu_load(model, cache, true));
  const std::int64_t rows = std::max(model.hidden, model.heads * 32) +
                            (model.heads + 2 * model.kv_heads) * 32 + 3 * model.intermediate;
  EXPECT_EQ(said[id::arena_peak_bytes],
            11'178'752 + 2048 * (model.hidden * 4 + rows * 2) + (32 << 20));
  EXPECT_EQ(said[id::arena_allocations_count], 4);
  EXPECT_EQ(by_counter(expect_gpu_unload(true))[id::arena_frees_count], 4);
}

// A budget that the host's ledger is tested with: 30 of 46 weights stay, and ten operators wait for
// the others.
class GpuLedgerUnderLimit : public GpuLedger {
 protected:
  std::optional<paging_shape> paging_of_budget(std::int64_t budget_bytes, bool has_passes) const {
    const arena_shape beside = gpu_arena_of(model, cache, has_passes);
    return gpu_paging_of(model, cache,
                         {budget_bytes + beside.kv_bytes + beside.activations_bytes + 77, 77},
                         has_passes);
  }
  const paging_shape paging = paging_of_budget(4'545'536, true).value();
  const std::int64_t missed = 6'951'936 - 3'052'544;
};

TEST_F(GpuLedgerUnderLimit, divides_the_budget_as_the_hosts_does) {
  EXPECT_EQ(paging.budget_bytes, 4'545'536);
  EXPECT_EQ(paging.staging_bytes, 1'442'816);
  EXPECT_EQ(paging.resident_bytes, 3'052'544);
  EXPECT_EQ(paging.resident_weights, 30);
  EXPECT_EQ(paging.streamed_operators, 10);
  EXPECT_EQ(paging.head_bytes, (1 << 20) + 512);
  EXPECT_EQ(paging.head_streamed_bytes, 0) << "kept whole: it makes the area smaller";
  EXPECT_FALSE(paging_of_budget(1'000'000, true).has_value());
  auto said = by_counter(expect_gpu_load(model, cache, true, paging));
  EXPECT_EQ(said[id::weights_h2d_bytes], 3'052'544);
  EXPECT_EQ(said[id::weights_h2d_copies_count], 30);
  EXPECT_EQ(said[id::checkpoint_unused_tensors_count], 0);
  EXPECT_EQ(said[id::arena_peak_bytes],
            gpu_arena_of(model, cache, true).total_bytes() - 6'951'936 + 3'052'544 + 1'442'816);
  EXPECT_EQ(said[id::arena_allocations_count], 5) << "pages, activations, scratch, two of weights";
  EXPECT_EQ(said[id::paging_admitted_count], 30);
  EXPECT_EQ(by_counter(expect_gpu_unload(true, paging))[id::arena_frees_count], 5);
}

// Three ids are enough for a pass; each of its kernels is a call, and each of a step's 21.
TEST_F(GpuLedgerUnderLimit, of_a_request_streams_in_its_pass_and_in_each_step) {
  const gpu_mode mode{.is_first = true, .paging = paging};
  for (const std::int64_t prompt : {3, 17}) {
    const request_shape shape{prompt, 20};
    auto said = by_counter(expect_gpu_request(model, cache, shape, mode));
    EXPECT_EQ(said[id::paging_h2d_bytes], 21 * missed);
    EXPECT_EQ(said[id::paging_staged_bytes], 21 * missed);
    EXPECT_EQ(said[id::paging_page_ins_count], 21 * 16);
    EXPECT_EQ(said[id::paging_lookups_count], 21 * 46);
    EXPECT_EQ(said[id::paging_hit_bytes], 21 * 3'052'544);
    EXPECT_EQ(said[id::graph_eager_steps_count], 20);
    EXPECT_EQ(said[id::graph_replays_count], 0);
    EXPECT_EQ(said[id::graph_captures_count], 0);
    EXPECT_EQ(said[id::device_syncs_count], 21);
    constexpr std::int64_t later_pages = 1;
    EXPECT_EQ(said[id::device_events_count], 3 * 21 + 2 * (1 + later_pages) + 5 * 10 * 21);
    EXPECT_EQ(said[id::device_submissions_count], 20 * 21 + said[id::prefill_calls_count] + 4 +
                                                      later_pages + 21 +
                                                      said[id::device_events_count] + 21 * 16);
    EXPECT_EQ(said.count(id::embedding_h2d_bytes), 0U) << "a kernel reads the rows over the link";
  }
  const gpu_mode without{.has_passes = false, .paging = paging};
  EXPECT_EQ(gpu_parts({17, 20}, without), 37) << "token by token each streams";
  EXPECT_EQ(
      by_counter(expect_gpu_request(model, cache, {17, 20}, without))[id::paging_page_ins_count],
      37 * 16);
}

// Two chunks: the first has no head, so what it is asked for is less.
TEST_F(GpuLedgerUnderLimit, of_a_second_chunk_looks_the_layers_up_again) {
  const gpu_mode mode{.paging = paging};
  EXPECT_EQ(gpu_parts({2049, 1}, mode), 3);
  EXPECT_EQ(gpu_headless_parts({2049, 1}, mode), 1);
  auto said = by_counter(expect_gpu_request(model, cache, {2049, 1}, mode));
  EXPECT_EQ(said[id::paging_lookups_count], 3 * 46 - 2);
  EXPECT_EQ(said[id::paging_lookup_bytes], 3 * 6'951'936 - (1 << 20) - 512);
  EXPECT_EQ(said[id::paging_h2d_bytes], 3 * missed);
  gpu_mode streamed = mode;
  streamed.paging->head_streamed_bytes = 1 << 20;
  streamed.paging->head_streamed_weights = 1;
  said = by_counter(expect_gpu_request(model, cache, {2049, 1}, streamed));
  EXPECT_EQ(said[id::paging_h2d_bytes], 3 * missed - (1 << 20));
  EXPECT_EQ(said[id::paging_page_ins_count], 3 * 16 - 1);
}

TEST_F(GpuLedger, of_a_scenario_adds_up_requests) {
  const request_shape shapes[] = {{17, 20}, {16, 1}};
  const expected_traffic sum = traffic_of(model, cache, shapes, gpu_mode{});
  EXPECT_EQ(sum.d2h_bytes, (21 + 2) * 4);
  EXPECT_EQ(sum.h2d_bytes, 176 + (16 + 16 + 2) * 4 + 32);
}

}  // namespace
}  // namespace assay::scenarios_test
