// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a graph's launch could lose half of its kernels and count as whole, or an honest
// one look like kernels that nobody asked for.
#include <gtest/gtest.h>

#include <vector>

#include "harness/audit/correlation_matcher.h"
#include "harness/audit/span_fold.h"
#include "harness/audit/stream_order.h"
#include "runtime/telemetry/range.h"

namespace assay::audit_test {
namespace {

using audit::cell_defects;
using audit::correlation_matcher;
using audit::operation;

constexpr auto compute = static_cast<std::uint16_t>(telemetry::range::compute);

assay_record call(std::uint8_t op, std::uint64_t correlation, std::int64_t amount,
                  std::uint8_t flags) {
  assay_record record{};
  record.kind = ASSAY_SUBMISSION;
  record.op = op;
  record.direction = op == ASSAY_OP_COPY ? ASSAY_H2D : 0;
  record.flags = flags;
  record.range = compute;
  record.correlation = correlation;
  record.amount = amount;
  record.start_ns = 10;
  record.end_ns = 20;
  return record;
}

class Split : public testing::Test {
 protected:
  void runs(std::uint8_t op, std::uint64_t correlation, std::int64_t amount, std::int64_t start_ns,
            std::int64_t end_ns) {
    assay_record record{};
    record.kind = ASSAY_ACTIVITY;
    record.op = op;
    record.direction = op == ASSAY_OP_COPY ? ASSAY_H2D : 0;
    record.range = compute;
    record.correlation = correlation;
    record.amount = amount;
    record.extra[0] = 132;
    matcher.activity(record, start_ns, end_ns);
  }
  void kernels(std::uint64_t correlation, int count) {
    for (int i = 0; i < count; ++i)
      runs(ASSAY_OP_LAUNCH, correlation, 0, 100 + 10 * i, 115 + 10 * i);
  }
  cell_defects defects(std::uint8_t op) const {
    const std::uint8_t direction = op == ASSAY_OP_COPY ? ASSAY_H2D : 0;
    return matcher.findings()
        .cells[static_cast<std::size_t>(audit::cell_of(op, direction, compute))];
  }

  correlation_matcher matcher;
  std::vector<operation> done;
};

TEST_F(Split, launch_becomes_an_operation_a_kernel) {
  matcher.submission(call(ASSAY_OP_LAUNCH, 7, 3, ASSAY_SPLIT));
  kernels(7, 3);
  matcher.drain(true, done);
  ASSERT_EQ(done.size(), 3U);
  EXPECT_EQ(done[2].start_ns, 120);
  EXPECT_EQ(done[2].blocks, 132);
  EXPECT_EQ(done[2].call_start_ns, 10);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).total(), 0U);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).submissions, 1U);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).activities, 3U);
  matcher.drain(true, done);
  EXPECT_TRUE(done.empty());
}

TEST_F(Split, launch_that_shows_too_few_kernels_lost_the_rest) {
  matcher.submission(call(ASSAY_OP_LAUNCH, 7, 5, ASSAY_SPLIT));
  kernels(7, 3);
  matcher.drain(false, done);
  EXPECT_EQ(done.size(), 3U) << "what ran is no less work";
  EXPECT_EQ(matcher.findings().total, 0U) << "the rest may still come";
  matcher.drain(true, done);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).lost, 2U);
  EXPECT_EQ(matcher.findings().total, 2U);
}

TEST_F(Split, launch_without_any_kernel_is_lost_also_where_nobody_said_how_many) {
  matcher.submission(call(ASSAY_OP_LAUNCH, 7, 0, ASSAY_SPLIT));
  matcher.drain(true, done);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).lost, 1U);
}

TEST_F(Split, launch_that_shows_too_many_kernels_ran_something_twice) {
  matcher.submission(call(ASSAY_OP_LAUNCH, 7, 2, ASSAY_SPLIT));
  kernels(7, 3);
  matcher.drain(true, done);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).duplicates, 1U);
}

TEST_F(Split, refused_launch_owes_nothing_and_may_not_run) {
  matcher.submission(call(ASSAY_OP_LAUNCH, 7, 2, ASSAY_SPLIT | ASSAY_REFUSED));
  matcher.submission(call(ASSAY_OP_LAUNCH, 8, 1, ASSAY_SPLIT | ASSAY_REFUSED));
  kernels(8, 1);
  matcher.drain(true, done);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).lost, 0U);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).contradictory, 1U);
}

TEST_F(Split, kernels_of_one_launch_are_told_apart_from_those_of_another_stream) {
  assay_record launch = call(ASSAY_OP_LAUNCH, 7, 1, ASSAY_SPLIT);
  launch.stream = 4;
  matcher.submission(launch);
  kernels(7, 1);
  matcher.drain(true, done);
  EXPECT_EQ(defects(ASSAY_OP_LAUNCH).contradictory, 1U);
}

TEST_F(Split, copy_becomes_one_operation_from_its_first_part_to_its_last) {
  matcher.submission(call(ASSAY_OP_COPY, 9, 300, ASSAY_SPLIT));
  runs(ASSAY_OP_COPY, 9, 200, 50, 60);
  runs(ASSAY_OP_COPY, 9, 100, 70, 80);
  matcher.drain(true, done);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].moved_bytes, 300);
  EXPECT_EQ(done[0].start_ns, 50);
  EXPECT_EQ(done[0].end_ns, 80);
  EXPECT_EQ(defects(ASSAY_OP_COPY).total(), 0U);
}

TEST_F(Split, copy_that_lacks_a_part_is_partial) {
  matcher.submission(call(ASSAY_OP_COPY, 9, 300, ASSAY_SPLIT));
  runs(ASSAY_OP_COPY, 9, 200, 50, 60);
  matcher.drain(false, done);
  EXPECT_TRUE(done.empty());
  matcher.drain(true, done);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].moved_bytes, 200);
  EXPECT_EQ(defects(ASSAY_OP_COPY).partial, 1U);
}

TEST_F(Split, copy_with_a_part_more_than_asked_is_found) {
  matcher.submission(call(ASSAY_OP_COPY, 9, 200, ASSAY_SPLIT));
  runs(ASSAY_OP_COPY, 9, 200, 50, 60);
  runs(ASSAY_OP_COPY, 9, 100, 70, 80);
  matcher.drain(true, done);
  EXPECT_EQ(defects(ASSAY_OP_COPY).duplicates, 2U) << "in its own cell and in the record's";
}

TEST_F(Split, copy_that_a_graph_hides_is_a_copy_of_its_launch) {
  matcher.submission(call(ASSAY_OP_LAUNCH, 7, 2, ASSAY_SPLIT));
  kernels(7, 1);
  runs(ASSAY_OP_COPY, 7, 4096, 115, 118);
  kernels(7, 1);
  matcher.drain(true, done);
  ASSERT_EQ(done.size(), 3U);
  EXPECT_EQ(done[1].op, ASSAY_OP_COPY);
  EXPECT_EQ(done[1].direction, ASSAY_H2D);
  EXPECT_EQ(done[1].moved_bytes, 4096);
  EXPECT_EQ(done[1].slot, compute);
  EXPECT_EQ(matcher.findings().total, 0U) << "it is none of the two kernels, and nobody's loss";
  EXPECT_EQ(defects(ASSAY_OP_COPY).activities, 1U);
}

TEST_F(Split, copy_in_a_launch_that_was_refused_contradicts_it) {
  matcher.submission(call(ASSAY_OP_LAUNCH, 7, 1, ASSAY_SPLIT | ASSAY_REFUSED));
  runs(ASSAY_OP_COPY, 7, 4096, 50, 60);
  matcher.drain(true, done);
  EXPECT_EQ(defects(ASSAY_OP_COPY).contradictory, 1U);
}

TEST(SplitOrder, kernels_of_one_launch_may_overlap_and_those_of_two_may_not) {
  const auto kernel = [](std::uint64_t correlation, std::int64_t start_ns, std::int64_t end_ns) {
    operation made;
    made.op = ASSAY_OP_LAUNCH;
    made.is_split = true;
    made.correlation = correlation;
    made.start_ns = start_ns;
    made.end_ns = end_ns;
    return made;
  };
  std::vector<operation> overlapping{kernel(1, 20, 40), kernel(1, 10, 30), kernel(2, 40, 60)};
  audit::stream_order order;
  order.check(overlapping);
  const auto cell = static_cast<std::size_t>(audit::cell_of(ASSAY_OP_LAUNCH, 0, 0));
  EXPECT_EQ(order.defects()[cell].out_of_order, 0U);
  std::vector<operation> early{kernel(3, 59, 70)};
  order.check(early);
  EXPECT_EQ(order.defects()[cell].out_of_order, 2U);
}

class EdgeOrder : public testing::Test {
 protected:
  static assay_record work(std::uint8_t op, std::uint64_t correlation, std::int64_t start_ns,
                           std::int64_t end_ns, std::uint8_t flags = 0) {
    assay_record record{};
    record.kind = ASSAY_ACTIVITY;
    record.op = op;
    record.direction = op == ASSAY_OP_COPY ? ASSAY_H2D : 0;
    record.flags = flags;
    record.range = compute;
    record.correlation = correlation;
    record.amount = op == ASSAY_OP_COPY ? 64 : 0;
    record.start_ns = start_ns;
    record.end_ns = end_ns;
    return record;
  }
  /// As a trace tells them: a call each, a launch of one kernel as a split one.
  std::uint64_t disordered(const std::vector<assay_record>& records) {
    correlation_matcher matcher;
    for (const assay_record& each : records) {
      const bool is_launch = each.op == ASSAY_OP_LAUNCH;
      matcher.submission(call(each.op, each.correlation, is_launch ? 1 : each.amount,
                              is_launch ? ASSAY_SPLIT : 0));
      matcher.activity(each, each.start_ns, each.end_ns);
    }
    std::vector<operation> done;
    matcher.drain(true, done);
    EXPECT_EQ(done.size(), records.size());
    audit::stream_order order;
    order.check(done);
    std::uint64_t all = 0;
    for (const audit::order_defects& each : order.defects()) all += each.out_of_order;
    return all;
  }
  static constexpr std::uint8_t launch = ASSAY_OP_LAUNCH;
  static constexpr std::uint8_t edge = ASSAY_PROGRAMMATIC;
};

TEST_F(EdgeOrder, programmatic_launches_may_begin_before_those_ahead_have_ended) {
  // The third begins while the first still runs: each has let the next one in at once.
  EXPECT_EQ(disordered({work(launch, 1, 10, 40), work(launch, 2, 20, 50, edge),
                        work(launch, 3, 30, 60, edge), work(ASSAY_OP_EVENT, 4, 60, 60)}),
            0U);
  EXPECT_EQ(disordered({work(launch, 1, 10, 40), work(launch, 2, 20, 50)}), 2U)
      << "the call did not allow it";
  EXPECT_EQ(disordered({work(launch, 1, 10, 40, edge), work(launch, 2, 20, 50)}), 2U)
      << "the edge is that of the launch ahead";
}

TEST_F(EdgeOrder, programmatic_launches_that_are_swapped_show) {
  EXPECT_EQ(disordered({work(launch, 1, 20, 50, edge), work(launch, 2, 10, 40, edge)}), 2U);
  EXPECT_EQ(disordered({work(launch, 1, 10, 40), work(launch, 2, 50, 60, edge),
                        work(launch, 3, 41, 49, edge)}),
            2U);
}

TEST_F(EdgeOrder, programmatic_launches_wait_for_whatever_is_no_kernel) {
  EXPECT_EQ(disordered({work(ASSAY_OP_COPY, 1, 10, 40), work(launch, 2, 20, 50, edge)}), 2U);
  EXPECT_EQ(disordered({work(launch, 1, 10, 40), work(ASSAY_OP_EVENT, 2, 40, 41),
                        work(launch, 3, 39, 50, edge)}),
            2U);
}

// The edge lets a kernel begin early; inside it waits for the one ahead. An end that was moved over
// the follower's is nobody's but a broken record's.
TEST_F(EdgeOrder, programmatic_launches_do_not_end_before_those_ahead) {
  EXPECT_EQ(disordered({work(launch, 1, 10, 51), work(launch, 2, 20, 50, edge)}), 2U);
  EXPECT_EQ(disordered({work(launch, 1, 10, 50), work(launch, 2, 20, 50, edge)}), 0U)
      << "as late as the one ahead is late enough";
  EXPECT_EQ(disordered({work(launch, 1, 10, 90), work(launch, 2, 20, 95, edge),
                        work(launch, 3, 30, 94, edge)}),
            2U)
      << "the third waits for the second, not for the first alone";
}

// What comes behind the last of a chain waits for all of it: the chain's ends never go back, so the
// latest is the last one's, and a broken one ahead of it shows a second time.
TEST_F(EdgeOrder, what_follows_a_chain_of_edges_waits_for_the_whole_of_it) {
  EXPECT_EQ(disordered({work(launch, 1, 10, 50), work(launch, 2, 20, 90, edge),
                        work(ASSAY_OP_COPY, 3, 90, 95)}),
            0U);
  EXPECT_EQ(disordered({work(launch, 1, 10, 50), work(launch, 2, 20, 90, edge),
                        work(ASSAY_OP_COPY, 3, 60, 95)}),
            2U);
  EXPECT_EQ(disordered({work(launch, 1, 10, 90), work(launch, 2, 20, 50, edge),
                        work(ASSAY_OP_COPY, 3, 60, 95)}),
            4U);
}

}  // namespace
}  // namespace assay::audit_test
