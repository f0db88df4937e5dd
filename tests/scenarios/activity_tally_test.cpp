// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a tally could take a submission for work, or the harness's own copies for the
// runtime's: the references made from it would then judge honest counters by wrong sums.
#include "harness/cli/activity_tally.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::cli {
namespace {

using telemetry::range;

assay_record record_of(assay_record_kind kind, assay_op op, range of) {
  assay_record record{};
  record.kind = static_cast<std::uint8_t>(kind);
  record.op = static_cast<std::uint8_t>(op);
  record.range = static_cast<std::uint16_t>(of);
  return record;
}

assay_record work(assay_op op, range of, std::int64_t start_ns, std::int64_t end_ns,
                  std::int64_t bytes = 0) {
  assay_record record = record_of(ASSAY_ACTIVITY, op, of);
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  record.amount = bytes;
  return record;
}

assay_record memory(std::uint8_t op, range of, std::int64_t bytes) {
  assay_record record{};
  record.kind = ASSAY_MEMORY;
  record.op = op;
  record.range = static_cast<std::uint16_t>(of);
  record.amount = bytes;
  return record;
}

TEST(ActivityTally, sums_what_ran_by_range) {
  activity_tally tally;
  const std::vector<assay_record> seen{
      work(ASSAY_OP_COPY, range::logits, 100, 130, 8192),
      work(ASSAY_OP_EVENT, range::logits, 140, 140),
      work(ASSAY_OP_COPY, range::logits, 200, 250, 8192),
      work(ASSAY_OP_LAUNCH, range::compute, 10, 60),
  };
  tally.take(seen);
  const range_tally& logits = tally.of(range::logits);
  EXPECT_EQ(logits.copies, 2);
  EXPECT_EQ(logits.launches, 0);
  EXPECT_EQ(logits.events, 1);
  EXPECT_EQ(logits.bytes, 16'384);
  EXPECT_EQ(logits.busy_ns, 80);
  EXPECT_EQ(logits.first_start_ns, 100);
  EXPECT_EQ(logits.first_end_ns, 130);
  EXPECT_EQ(logits.last_end_ns, 250);
  EXPECT_EQ(tally.of(range::compute).launches, 1);
  EXPECT_EQ(tally.of(range::compute).bytes, 0);
  EXPECT_EQ(tally.operations(), 4);
  EXPECT_EQ(tally.busy_ns(), 130);
}

TEST(ActivityTally, takes_no_call_for_work) {
  activity_tally tally;
  assay_record call = record_of(ASSAY_SUBMISSION, ASSAY_OP_COPY, range::inputs);
  call.amount = 4;
  tally.take({{call}});
  EXPECT_EQ(tally.operations(), 0);
  EXPECT_EQ(tally.of(range::inputs).bytes, 0);
}

TEST(ActivityTally, leaves_the_harness_own_work_out) {
  activity_tally tally;
  assay_record wait = record_of(ASSAY_SUBMISSION, ASSAY_OP_SYNC, range::sentinel);
  wait.end_ns = 1000;
  const std::vector<assay_record> seen{work(ASSAY_OP_COPY, range::sentinel, 0, 500, 1 << 20), wait,
                                       memory(1, range::sentinel, 4096)};
  tally.take(seen);
  EXPECT_EQ(tally.operations(), 0);
  EXPECT_EQ(tally.busy_ns(), 0);
  EXPECT_EQ(tally.sync_ns(), 0);
  EXPECT_EQ(tally.memory_bytes(), 0);
  EXPECT_EQ(tally.of(range::sentinel).copies, 1);
}

TEST(ActivityTally, sums_waits_and_what_the_arena_holds) {
  activity_tally tally;
  assay_record wait = record_of(ASSAY_SUBMISSION, ASSAY_OP_SYNC, range::any);
  wait.start_ns = 100;
  wait.end_ns = 340;
  assay_record call = record_of(ASSAY_SUBMISSION, ASSAY_OP_COPY, range::kv_append);
  call.start_ns = 400;
  call.end_ns = 430;
  tally.take({{wait, wait, call, memory(1, range::arena, 640), memory(2, range::arena, 64)}});
  EXPECT_EQ(tally.sync_ns(), 480);
  EXPECT_EQ(tally.submission_ns(), 30);
  EXPECT_EQ(tally.memory_bytes(), 576);
}

TEST(ActivityTally, passes_by_a_range_that_it_does_not_know) {
  activity_tally tally;
  assay_record strange = work(ASSAY_OP_COPY, range::logits, 1, 2, 3);
  strange.range = 200;
  tally.take({{strange}});
  EXPECT_EQ(tally.operations(), 0);
  tally.take({{work(ASSAY_OP_COPY, range::logits, 1, 2, 3)}});
  tally.clear();
  EXPECT_EQ(tally.operations(), 0);
}

}  // namespace
}  // namespace assay::cli
