// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these a clock that fell while the run went on, or a quota that held it back, would stand
// in the table and nobody would be told.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/attribution/condition_fold.h"
#include "probes/trace/condition.h"
#include "reports/model/condition_difference.h"
#include "tests/attribution/planted_trace.h"

namespace assay::attribution_test {
namespace {

using attribution::condition_fold;
using model::condition_line;
using testing::HasSubstr;

condition_line line_for(assay_condition which, const std::vector<std::int64_t>& values,
                        std::int64_t cores = 0) {
  condition_fold fold;
  std::int64_t at_ns = 5'000'000;
  if (cores > 0) fold.take(trace::condition_record(ASSAY_ALLOWED_CORES, at_ns, cores));
  for (const std::int64_t each : values) {
    fold.take(trace::condition_record(which, at_ns, each));
    at_ns += 1'000'000'000;
  }
  const auto name = trace::condition_rows()[*trace::condition_index(std::uint8_t(which))].name;
  for (const condition_line& each : fold.lines())
    if (each.name == name) return each;
  return {};
}

TEST(Conditions, a_level_has_first_last_least_and_most) {
  const condition_line clock = line_for(
      ASSAY_CORE_CLOCK_TIMED, {3'200'000'000, 3'250'000'000, 3'100'000'000, 3'150'000'000});
  EXPECT_EQ(clock.samples, 4u);
  EXPECT_EQ(clock.first, 3'200'000'000);
  EXPECT_EQ(clock.last, 3'150'000'000);
  EXPECT_EQ(clock.least, 3'100'000'000);
  EXPECT_EQ(clock.most, 3'250'000'000);
  EXPECT_FALSE(clock.is_flagged);
  EXPECT_EQ(clock.stretches.size(), 4u);
  EXPECT_EQ(clock.stretches[3].begin_ns, 3'000'000'000);
}

// Whoever reads NVML within a step has that in the step's time.
TEST(Conditions, a_sample_within_a_pass_is_told_from_those_beside_them) {
  planted_trace trace;
  const auto sample = [&] {
    trace.records.push_back(trace::condition_record(ASSAY_SM_CLOCK, trace.now_ns, 1'980'000'000));
  };
  sample();
  trace.step(0, 0);
  sample();
  trace.begin(ASSAY_WINDOW_PREFILL, 0);
  sample();
  trace.pass(500);
  trace.end(ASSAY_WINDOW_PREFILL, 0);
  sample();
  const auto found = trace.investigate();
  ASSERT_EQ(found.conditions.size(), 1u);
  EXPECT_EQ(found.conditions[0].samples, 4u);
  EXPECT_EQ(found.conditions[0].samples_in_passes, 1u);
}

TEST(Conditions, a_total_has_what_it_gained_and_the_extremes_between_two_samples) {
  const condition_line stolen = line_for(ASSAY_STOLEN_TIME, {700, 700, 1'700, 1'900});
  EXPECT_EQ(stolen.gained, 1'200);
  EXPECT_EQ(stolen.least, 0);
  EXPECT_EQ(stolen.most, 1'000);
  EXPECT_EQ(stolen.stretches.size(), 3u);
  EXPECT_EQ(stolen.stretches[0].least, 0) << "not what was counted since the machine began";
}

// Each bound from both sides.
TEST(Conditions, are_flagged_where_they_change_by_more_than_they_should) {
  const struct {
    assay_condition which;
    std::vector<std::int64_t> values;
    std::int64_t cores;
    bool is_flagged;
  } cases[] = {
      {ASSAY_CORE_CLOCK_TIMED, {2'000, 1'800}, 0, false},
      {ASSAY_CORE_CLOCK_TIMED, {2'000, 1'799}, 0, true},
      {ASSAY_CORE_CLOCK_TIMED, {1'799, 2'000}, 0, true},
      {ASSAY_CORE_CLOCK_TIMED, {2'000, 0, 2'000}, 0, true},
      {ASSAY_SM_CLOCK, {1'980, 1'980, 1'000}, 0, true},
      {ASSAY_THERMAL_THROTTLES, {9, 9, 9}, 0, false},
      {ASSAY_THERMAL_THROTTLES, {9, 9, 10}, 0, true},
      {ASSAY_GROUP_THROTTLES, {0, 1}, 0, true},
      {ASSAY_GROUP_THROTTLED, {0, 10'000'000}, 0, false},
      {ASSAY_GROUP_THROTTLED, {0, 10'000'001}, 0, true},
      {ASSAY_STOLEN_TIME, {5, 20'000'005}, 0, false},
      {ASSAY_STOLEN_TIME, {5, 20'000'006}, 0, true},
      {ASSAY_STOLEN_TIME, {9, 5}, 0, true},
      {ASSAY_MEMORY_PRESSURE, {5, 9}, 0, false},
      {ASSAY_CORE_PRESSURE, {0, 900'000'000}, 0, false},
      {ASSAY_LOAD_AVERAGE, {1'000, 2'000}, 2, false},
      {ASSAY_LOAD_AVERAGE, {1'000, 2'001}, 2, true},
      {ASSAY_LOAD_AVERAGE, {1'000, 9'000}, 0, false},
      {ASSAY_ALLOWED_CORES, {2, 2}, 0, false},
      {ASSAY_ALLOWED_CORES, {2, 1}, 0, true},
      {ASSAY_LINK_WIDTH, {16, 16}, 0, false},
      {ASSAY_LINK_WIDTH, {16, 8}, 0, true},
      {ASSAY_CLOCK_EVENTS, {0, 1, 2, 3}, 0, false},
      {ASSAY_CLOCK_EVENTS, {1, 5, 1}, 0, true},
      {ASSAY_LOST_CORES, {0, 900}, 0, false},
  };
  for (const auto& each : cases) {
    const condition_line line = line_for(each.which, each.values, each.cores);
    EXPECT_EQ(line.is_flagged, each.is_flagged)
        << line.name << ": " << testing::PrintToString(each.values);
    EXPECT_FALSE(line.reads_as.empty()) << line.name;
  }
  EXPECT_EQ(line_for(ASSAY_CLOCK_EVENTS, {1, 4, 1}).reads_as, "seen: idle, power cap");
}

TEST(Conditions, one_sample_shows_no_change) {
  const condition_line line = line_for(ASSAY_THERMAL_THROTTLES, {9});
  EXPECT_FALSE(line.is_flagged);
  EXPECT_THAT(line.reads_as, HasSubstr("not known"));
}

// Else a group that held the run back all the time would be one that did so for 0.0 % of it.
TEST(Conditions, what_was_gained_in_a_time_that_does_not_rise_is_flagged) {
  const auto held_back = [](const std::vector<std::int64_t>& at_ns, std::int64_t step) {
    condition_fold fold;
    std::int64_t value = 0;
    for (const std::int64_t each : at_ns)
      fold.take(trace::condition_record(ASSAY_GROUP_THROTTLED, each, value += step));
    return fold.lines().at(0);
  };
  for (const auto& at_ns : std::vector<std::vector<std::int64_t>>{
           {5, 5, 5}, {3'000'000'000, 2'000'000'000, 1'000'000'000}, {5, 3'000'000'000, 9}}) {
    EXPECT_TRUE(held_back(at_ns, 1'000'000'000).is_flagged);
    EXPECT_THAT(held_back(at_ns, 1'000'000'000).reads_as, HasSubstr("do not rise"));
    EXPECT_FALSE(held_back(at_ns, 0).is_flagged);
  }
  EXPECT_FALSE(held_back({5, 1'000'000'000, 2'000'000'000}, 1'000).is_flagged);
}

TEST(Conditions, one_without_a_sample_and_without_a_reason_is_named) {
  planted_trace trace;
  trace.facts = R"({"absent_conditions":[{"name":"throttled by heat","reason":"nobody says"}]})";
  trace.records.push_back(trace::condition_record(ASSAY_ALLOWED_CORES, 1, 2));
  trace.step(0, 0);
  const model::investigation found = trace.investigate();
  EXPECT_THAT(found.blind_spots,
              testing::Contains(testing::AllOf(
                  HasSubstr("core clock, timed"), HasSubstr("memory available"),
                  testing::Not(HasSubstr("throttled by heat")),
                  testing::Not(HasSubstr("cores that")), testing::Not(HasSubstr("SM clock")))));
  trace.records.push_back(trace::condition_record(ASSAY_GPU_POWER, 1, 2));
  EXPECT_THAT(
      trace.investigate().blind_spots,
      testing::Contains(testing::AllOf(HasSubstr("core clock, timed"), HasSubstr("SM clock"))));
}

TEST(Conditions, numbers_at_the_ends_of_their_range_do_no_harm) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  condition_fold fold;
  for (const assay_record& each :
       {trace::condition_record(ASSAY_STOLEN_TIME, least, least),
        trace::condition_record(ASSAY_STOLEN_TIME, most, most),
        trace::condition_record(ASSAY_CORE_CLOCK_TIMED, 0, least),
        trace::condition_record(ASSAY_CORE_CLOCK_TIMED, 0, most),
        trace::condition_record(static_cast<assay_condition>(100), 0, 1)})
    fold.take(each);
  EXPECT_EQ(fold.lines().size(), 2u);
}

TEST(Conditions, an_absent_one_has_its_reason_and_is_told_where_the_report_cannot_tell) {
  planted_trace trace;
  trace.facts =
      R"({"absent_conditions":[{"name":"throttled by heat","reason":"nobody says"},
          {"name":"of no format","reason":"x"}]})";
  trace.records.push_back(trace::condition_record(ASSAY_ALLOWED_CORES, 1, 2));
  trace.begin(ASSAY_WINDOW_REQUEST, 0);
  trace.step(0, 0);
  trace.end(ASSAY_WINDOW_REQUEST, 0);
  const model::investigation found = trace.investigate();
  ASSERT_EQ(found.conditions.size(), 2u);
  EXPECT_EQ(found.conditions[0].samples, 0u);
  EXPECT_EQ(found.conditions[0].absence, "nobody says");
  EXPECT_EQ(found.conditions[1].samples, 1u);
  EXPECT_THAT(found.blind_spots,
              testing::Contains("Of the machine's state, throttled by heat: nobody says"));
  EXPECT_THAT(found.blind_spots, testing::Not(testing::Contains(HasSubstr("holds no sample"))));
}

TEST(Conditions, a_trace_without_any_says_so) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_REQUEST, 0);
  trace.step(0, 0);
  trace.end(ASSAY_WINDOW_REQUEST, 0);
  const model::investigation found = trace.investigate();
  EXPECT_TRUE(found.conditions.empty());
  EXPECT_THAT(found.blind_spots, testing::Contains(HasSubstr("What state the machine was in")));
}

TEST(Conditions, of_two_runs_lie_apart_where_no_value_is_shared) {
  const auto clock = [](std::int64_t least, std::int64_t most) {
    return line_for(ASSAY_CORE_CLOCK_TIMED, {least, most});
  };
  EXPECT_FALSE(model::is_apart(clock(100, 105), clock(105, 110)));
  EXPECT_TRUE(model::is_apart(clock(100, 105), clock(106, 110)));
  EXPECT_TRUE(model::is_apart(clock(106, 110), clock(100, 105)));
  EXPECT_FALSE(
      model::is_apart(line_for(ASSAY_STOLEN_TIME, {0, 1}), line_for(ASSAY_STOLEN_TIME, {50, 90})));
  EXPECT_TRUE(model::is_apart(line_for(ASSAY_STOLEN_TIME, {0, 1}),
                              line_for(ASSAY_STOLEN_TIME, {50, 900'000'000})));
  EXPECT_TRUE(model::is_apart(condition_line{}, clock(1, 1)));
}

}  // namespace
}  // namespace assay::attribution_test
