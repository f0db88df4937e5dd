// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these, a trace from anywhere could stop a report, or be attributed in silence where it
// cannot be.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/attribution/planted_trace.h"

namespace assay::attribution_test {
namespace {

bool says(const model::investigation& found, const std::string& words) {
  return std::any_of(found.blind_spots.begin(), found.blind_spots.end(),
                     [&](const std::string& each) { return each.find(words) != each.npos; });
}

TEST(Robustness, a_trace_without_steps_has_reasons_in_place_of_figures) {
  const model::investigation found = planted_trace{}.investigate();
  EXPECT_EQ(found.decode.passes, 0u);
  EXPECT_FALSE(found.tokens_per_s.is_present);
  EXPECT_FALSE(found.tokens_per_s.absence.empty());
  for (const auto& each : found.latencies) EXPECT_FALSE(each.absence.empty()) << each.name;
  EXPECT_TRUE(says(found, "the trace holds no decode step"));
}

TEST(Robustness, a_step_that_ends_before_it_begins_is_left_out_and_said) {
  planted_trace trace;
  trace.step(0, 0);
  trace.step(1, 0);
  trace.records.back().end_ns -= 50'000;
  const model::investigation found = trace.investigate();
  EXPECT_EQ(found.decode.passes, 1u);
  EXPECT_TRUE(says(found, "a clock went backwards"));
}

// Three seconds between two steps of a trace that lasts less are no step.
TEST(Robustness, a_step_that_begins_before_another_has_ended_is_said) {
  planted_trace trace;
  trace.step(0, 0);
  trace.step(1, 0);
  EXPECT_FALSE(says(trace.investigate(), "a clock jumped"));
  for (assay_record& each : trace.records)
    if (each.kind == ASSAY_WINDOW_END && each.correlation == 0) each.end_ns += 3'000'000'000;
  EXPECT_TRUE(says(trace.investigate(), "1 passes begin before one before them had ended"));
}

TEST(Robustness, a_step_without_an_end_is_left_out_and_said) {
  planted_trace trace;
  trace.step(0, 0);
  trace.step(1, 0);
  trace.records.pop_back();
  EXPECT_EQ(trace.investigate().decode.passes, 1u);
  EXPECT_TRUE(says(trace.investigate(), "have no end in the trace"));
}

TEST(Robustness, work_without_times_or_without_a_call_is_said) {
  planted_trace trace;
  trace.step(0, 0);
  for (assay_record& each : trace.records)
    if (each.kind == ASSAY_ACTIVITY && each.op == ASSAY_OP_COPY)
      each.start_ns = each.end_ns = 0;
    else if (each.kind == ASSAY_ACTIVITY)
      each.correlation += 1'000;
  const model::investigation found = trace.investigate();
  EXPECT_TRUE(says(found, "1 device records have no times"));
  EXPECT_TRUE(says(found, "1 device records have no call in the trace"));
  EXPECT_EQ(part(found.decode.parts, model::time_part::launch), 4'000);
}

TEST(Robustness, records_of_any_content_do_no_harm) {
  std::mt19937_64 random(5);
  planted_trace trace;
  for (int i = 0; i < 20'000; ++i) {
    assay_record each{};
    each.kind = static_cast<std::uint8_t>(random() % 14);
    each.op = static_cast<std::uint8_t>(random() % 7);
    each.direction = static_cast<std::uint8_t>(random() % 9);
    each.range = static_cast<std::uint16_t>(random() % 12);
    each.stream = static_cast<std::uint32_t>(random() % 5);
    each.tid = static_cast<std::uint32_t>(random() % 5);
    each.correlation = random() % 50;
    const auto any = [&]() -> std::int64_t {
      switch (random() % 4) {
        case 0:
          return std::numeric_limits<std::int64_t>::max();
        case 1:
          return std::numeric_limits<std::int64_t>::min();
        default:
          return static_cast<std::int64_t>(random() % 100'000);
      }
    };
    each.start_ns = any();
    each.end_ns = any();
    each.amount = any();
    for (std::int64_t& extra : each.extra) extra = any();
    trace.records.push_back(each);
  }
  const model::investigation found = trace.investigate();
  EXPECT_EQ(found.decode.passes, found.steps.size());
}

}  // namespace
}  // namespace assay::attribution_test
