// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these tests an absent reading could come out of a trace as a number, or with the reason
// of another counter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/trace/snapshot_codec.h"
#include "tests/trace/recorded.h"

namespace assay::trace {
namespace {

using telemetry::counter_id;
using telemetry::reading;
using telemetry::reading_state;

constexpr reading_state every_state[] = {
    reading_state::never_written,  reading_state::measured,    reading_state::zero,
    reading_state::not_applicable, reading_state::lower_bound, reading_state::lost};

TEST(SnapshotCodec, every_state_value_and_reason_comes_back) {
  reason_table reasons;
  for (const reading_state state : every_state) {
    const reading before{state, -7, state == reading_state::lost ? "lost it" : ""};
    const assay_reading stored = encode(before, reasons);
    const auto after = decode(stored, reasons.reasons());
    ASSERT_TRUE(after);
    EXPECT_EQ(after->state, before.state);
    EXPECT_EQ(after->bits, before.bits);
    EXPECT_EQ(after->reason, before.reason);
  }
}

TEST(SnapshotCodec, reasons_are_numbered_from_one_and_kept) {
  reason_table reasons;
  EXPECT_EQ(reasons.index_of(""), 0u);
  EXPECT_EQ(reasons.index_of("a"), 1u);
  EXPECT_EQ(reasons.index_of("b"), 2u);
  EXPECT_EQ(reasons.index_of("a"), 1u);
  EXPECT_THAT(reasons.reasons(), ::testing::ElementsAre("a", "b"));
}

TEST(SnapshotCodec, a_registry_comes_back_counter_by_counter) {
  telemetry::registry registry;
  registry.add(counter_id::weights_h2d_bytes, 4096);
  registry.set_real(counter_id::engine_decode_tokens_per_s, 12.5);
  registry.set(counter_id::kv_live_pages, 0);
  registry.mark_not_applicable(counter_id::sampling_random_draws_count, "greedy");
  const telemetry::snapshot before = registry.read_all();
  reason_table reasons;
  const auto readings = encode(before, reasons);
  ASSERT_EQ(readings.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto after = decode(readings[i], reasons.reasons());
    ASSERT_TRUE(after);
    EXPECT_EQ(after->state, before[i].state) << i;
    EXPECT_EQ(after->bits, before[i].bits) << i;
    EXPECT_EQ(after->reason, before[i].reason) << i;
  }
}

TEST(SnapshotCodec, a_state_that_is_unknown_is_refused_and_a_missing_reason_is_said) {
  EXPECT_FALSE(decode({0, ASSAY_LOST + 1, 0}, {}));
  const std::vector<std::string> reasons = {"one"};
  EXPECT_EQ(decode({0, ASSAY_LOST, 1}, reasons)->reason, "one");
  EXPECT_EQ(decode({0, ASSAY_LOST, 2}, reasons)->reason, "its reason is not in the trace");
}

TEST(SnapshotCodec, a_new_reason_stands_in_the_trace_before_the_snapshot_that_needs_it) {
  telemetry::registry registry;
  recorded out;
  snapshot_writer writer(out);
  ASSERT_TRUE(writer.write(1, registry.read_all()));
  registry.mark_not_applicable(counter_id::kv_live_pages, "no cache");
  ASSERT_TRUE(writer.write(2, registry.read_all()));
  ASSERT_TRUE(writer.write(3, registry.read_all()));
  registry.mark_not_applicable(counter_id::sampling_host_ns, "greedy");
  ASSERT_TRUE(writer.write(4, registry.read_all()));
  std::vector<std::string> order;
  for (const piece& one : out.pieces) order.push_back(one.what);
  EXPECT_THAT(order, ::testing::ElementsAre("snapshot 1", "facts", "snapshot 2", "snapshot 3",
                                            "facts", "snapshot 4"));
  EXPECT_EQ(parse_facts(out.pieces[4].bytes)->reasons,
            (std::vector<std::string>{"no cache", "greedy"}));
}

}  // namespace
}  // namespace assay::trace
