// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a closed form of the GPU's ledger could be wrong where no GPU is there to show it.
#include <gtest/gtest.h>

#include <map>

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
  auto said = by_counter(expect_gpu_request(model, cache, {17, 20}, true));
  EXPECT_EQ(said[id::graph_replays_count], 37);
  EXPECT_EQ(said[id::compute_launches_count], 37 * 21);
  EXPECT_EQ(said[id::inputs_h2d_copies_count], 5) << "ids, state, frequencies, table, one entry";
  EXPECT_EQ(said[id::inputs_h2d_bytes], 17 * 4 + 32 + 16 * 4 + 3 * 4);
  EXPECT_EQ(said[id::choices_d2h_bytes], 21 * 4);
  EXPECT_EQ(said[id::choices_d2h_copies_count], 21);
  EXPECT_EQ(said[id::device_events_count], 21 * 4 + 2 * 2);
  EXPECT_EQ(said[id::device_submissions_count], 37 + 5 + 21 + 88);
  EXPECT_EQ(said[id::device_syncs_count], 21);
  EXPECT_EQ(said[id::kv_allocated_pages], 3);
  EXPECT_EQ(said[id::kv_append_bytes], 37 * (4 * 2 * model.kv_heads * 32 * 2));
  EXPECT_EQ(said[id::kv_read_bytes], 37 * 38 / 2 * (4 * 2 * model.kv_heads * 32 * 2));
  EXPECT_EQ(said[id::compute_weight_bytes], 37 * pass_weight_bytes(model, 1));
  EXPECT_EQ(said[id::graph_captures_count], 1);
  EXPECT_EQ(by_counter(expect_gpu_request(model, cache, {17, 20}, false))[id::graph_captures_count],
            0)
      << "one graph serves every request";
}

// A prompt that fills its page: the first step takes the next one.
TEST_F(GpuLedger, of_a_full_page_has_its_next_entry_in_the_first_step) {
  auto said = by_counter(expect_gpu_request(model, cache, {16, 1}, false));
  EXPECT_EQ(said[id::inputs_h2d_copies_count], 5);
  EXPECT_EQ(said[id::device_events_count], 2 * 4 + 2 * 2);
}

TEST_F(GpuLedger, of_the_load_has_pages_as_wide_as_the_weights) {
  const arena_shape gpu = gpu_arena_of(model, cache);
  const arena_shape host = arena_of(model, cache);
  EXPECT_EQ(gpu.kv_bytes * 2, host.kv_bytes) << "bf16 beside f32";
  EXPECT_EQ(gpu.weights_bytes, host.weights_bytes);
  auto said = by_counter(expect_gpu_load(model, cache));
  EXPECT_EQ(said[id::arena_peak_bytes], gpu.total_bytes());
  EXPECT_EQ(said[id::arena_peak_bytes], 11'178'752) << "as an H200 had it (docs/evidence)";
}

TEST_F(GpuLedger, of_a_scenario_adds_up_requests) {
  const request_shape shapes[] = {{17, 20}, {16, 1}};
  const expected_traffic sum = traffic_of(model, cache, shapes, telemetry::device_class::cuda);
  EXPECT_EQ(sum.d2h_bytes, (21 + 2) * 4);
  EXPECT_EQ(sum.h2d_bytes, 176 + (16 + 16 + 2) * 4 + 32);
}

}  // namespace
}  // namespace assay::scenarios_test
