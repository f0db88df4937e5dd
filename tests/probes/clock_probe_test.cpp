// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a clock read in the middle of an interruption would relate two clocks by
// milliseconds, and a wall clock that was set would stay unseen.
#include "probes/process/clock_probe.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using test::recorded_trace;

/// Says the given times, the last one again and again.
clock_reader says(std::vector<std::int64_t> times_ns) {
  return [times_ns = std::move(times_ns), next = std::size_t{0}]() mutable {
    return times_ns[next + 1 < times_ns.size() ? next++ : next];
  };
}

TEST(ClockProbe, brackets_the_device_clock) {
  recorded_trace trace;
  ASSERT_TRUE(clock_probe(says({100, 140}), says({7})).sample(trace));
  ASSERT_EQ(trace.all.size(), 1u);
  EXPECT_EQ(trace.all[0].kind, ASSAY_CLOCK_SAMPLE);
  EXPECT_EQ(trace.all[0].start_ns, 100);
  EXPECT_EQ(trace.all[0].amount, 7);
  EXPECT_EQ(trace.all[0].end_ns, 140);
}

TEST(ClockProbe, takes_a_long_bracket_again) {
  recorded_trace trace;
  ASSERT_TRUE(clock_probe(says({0, 10'001, 20'000, 30'000}), says({1, 2})).sample(trace));
  ASSERT_EQ(trace.all.size(), 1u);
  EXPECT_EQ(trace.all[0].start_ns, 20'000);
  EXPECT_EQ(trace.all[0].end_ns, 30'000) << "10 µs is still short enough";
  EXPECT_EQ(trace.all[0].amount, 2);
}

TEST(ClockProbe, is_unavailable_where_no_bracket_is_short) {
  recorded_trace trace;
  std::int64_t now = 0;
  const auto sampled = clock_probe([&] { return now += 10'001; }, says({1})).sample(trace);
  ASSERT_FALSE(sampled);
  EXPECT_EQ(sampled.error().kind, error_kind::unavailable);
  EXPECT_EQ(now, 10'001 * 2 * clock_probe::tries);
  EXPECT_TRUE(trace.all.empty());
}

TEST(ClockProbe, refuses_a_clock_that_runs_backwards) {
  recorded_trace trace;
  EXPECT_FALSE(clock_probe(says({100, 99}), says({1})).sample(trace));
  EXPECT_TRUE(trace.all.empty());
}

TEST(ClockProbe, tells_a_set_wall_clock_from_a_steered_one) {
  const wall_reading early{.realtime_ns = 5'000'000'000'000, .raw_ns = 0, .bracket_ns = 100};
  const auto after_10_s = [&](std::int64_t off_ns) {
    return wall_reading{early.realtime_ns + 10'000'000'000 + off_ns, 10'000'000'000, 100};
  };
  EXPECT_EQ(wall_step_ns(early, after_10_s(0)), 0);
  EXPECT_EQ(wall_step_ns(early, after_10_s(5'000'000)), 0) << "500 ppm of 10 s";
  EXPECT_EQ(wall_step_ns(early, after_10_s(-5'000'000)), 0);
  EXPECT_EQ(wall_step_ns(early, after_10_s(5'002'000)), 5'002'000);
  EXPECT_EQ(wall_step_ns(early, after_10_s(-3'600'000'000'000)), -3'600'000'000'000);
}

TEST(ClockProbe, reads_the_wall) {
  const auto early = read_wall();
  const auto late = read_wall();
  ASSERT_TRUE(early && late);
  EXPECT_GE(late->raw_ns, early->raw_ns);
  EXPECT_GT(early->realtime_ns, 0);
}

}  // namespace
}  // namespace assay::probes
