// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this an audit that mistakes a busy machine for a lie, or hides a lie behind it, would go
// unnoticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using model::verdict;
using testing::ElementsAre;
using testing::IsEmpty;

lie scaled(row which, double factor) {
  return {[=](std::vector<assay_reading>& r, int) { scale(r[which], factor); }, {}};
}

TEST(Noise, honest_runs_of_any_shape_have_no_finding) {
  std::mt19937_64 random(20261201);
  const auto between = [&random](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int i = 0; i < 300; ++i) {
    run_shape shape;
    shape.requests = between(1, 4);
    shape.steps = between(0, 60);
    shape.tensors = between(1, 20);
    shape.tensor_bytes = between(1, 3'000'000);
    shape.kernels = between(1, 30);
    shape.kernel_ns = between(200, 80'000);
    shape.device_noise = 0.01 * between(0, 100);
    shape.disturbed_ratio = i % 2 == 0 ? 0.0 : 0.01 * between(0, 15);
    shape.seed = static_cast<std::uint64_t>(i);
    shape.clock_offset_ns = i % 3 == 0 ? between(-2'000'000'000, 2'000'000'000) : 0;
    const auto report = simulate(shape).audit();
    ASSERT_THAT(report.findings, IsEmpty()) << i << "\n" << text_of(report);
    for (const model::counter_line& line : report.counters)
      ASSERT_NE(line.verdict, verdict::disagree) << i << "\n" << text_of(report);
  }
}

TEST(Noise, a_gap_between_an_event_and_its_work_is_inside_what_records_allow) {
  for (const double disturbed : {0.1, 0.6}) {
    const auto report = simulate({.steps = 100, .disturbed_ratio = disturbed, .seed = 3}).audit();
    EXPECT_THAT(report.findings, IsEmpty()) << text_of(report);
    EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::agree) << text_of(report);
  }
}

TEST(Noise, disturbed_windows_are_left_out_and_counted) {
  const auto report = simulate({.steps = 100, .disturbed_ratio = 0.1, .seed = 3}).audit();
  const auto& records = line_of(report, compute_ns).references.front();
  EXPECT_GT(records.disturbed_windows, 5u);
  EXPECT_LT(records.disturbed_windows, 40u);
}

TEST(Noise, a_lie_of_three_percent_is_found_among_disturbed_windows) {
  for (const row which : {compute_ns, step_ns})
    for (const double factor : {0.97, 1.03}) {
      const run_shape shape{.steps = 100, .disturbed_ratio = 0.1, .seed = 3};
      const auto report = simulate(shape, scaled(which, factor)).audit();
      EXPECT_THAT(rules_on(report, name_of(which)), ElementsAre("R05")) << text_of(report);
    }
}

TEST(Noise, a_host_time_that_only_disturbed_windows_contradict_is_left_undecided) {
  // The counter misses what its steps lose to others; every second step does, so nothing is left
  // that could tell a lie from noise.
  auto step = std::make_shared<int>(0);
  auto missing = std::make_shared<std::int64_t>(0);
  const lie late{[=](std::vector<assay_reading>& r, int window) {
                   if (window == ASSAY_WINDOW_PREFILL) *missing = 0;
                   if (window == ASSAY_WINDOW_DECODE_STEP && ++*step % 2 == 0) *missing += 400'000;
                   r[step_ns].bits -= *missing;
                 },
                 {}};
  test_trace trace = simulate({.requests = 1, .steps = 100}, late);
  std::int64_t shift = 0;
  int steps = 0;
  for (piece& p : trace.pieces) {
    auto* record = std::get_if<assay_record>(&p);
    if (record == nullptr) continue;
    if (record->kind != ASSAY_OBSERVATION && record->start_ns != 0) record->start_ns += shift;
    if (record->kind == ASSAY_CLOCK_SAMPLE) record->amount += shift;
    if (record->kind == ASSAY_WINDOW_END && record->op == ASSAY_WINDOW_DECODE_STEP &&
        ++steps % 2 == 0)
      shift += 400'000;
    if (record->end_ns != 0) record->end_ns += shift;
  }
  const auto report = trace.audit();
  EXPECT_NE(line_of(report, step_ns).verdict, verdict::agree) << text_of(report);
}

TEST(Noise, bytes_are_judged_in_disturbed_windows_as_in_all) {
  const run_shape shape{.steps = 100, .disturbed_ratio = 0.6, .seed = 3};
  const auto report = simulate(shape, scaled(launches, 2)).audit();
  EXPECT_THAT(rules_on(report, name_of(launches)), ElementsAre("R04"));
}

}  // namespace
}  // namespace assay::audit_test
