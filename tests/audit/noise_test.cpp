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

TEST(Noise, disturbed_windows_are_left_out_and_counted) {
  const auto report = simulate({.steps = 100, .disturbed_ratio = 0.1, .seed = 3}).audit();
  EXPECT_THAT(report.findings, IsEmpty()) << text_of(report);
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::agree) << text_of(report);
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

TEST(Noise, too_many_disturbed_windows_leave_it_undecided) {
  const auto report = simulate({.steps = 100, .disturbed_ratio = 0.6, .seed = 3}).audit();
  EXPECT_THAT(report.findings, IsEmpty()) << text_of(report);
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::undecided) << text_of(report);
  EXPECT_THAT(line_of(report, compute_ns).reason, testing::HasSubstr("were disturbed"));
}

TEST(Noise, bytes_are_judged_in_disturbed_windows_as_in_all) {
  const run_shape shape{.steps = 100, .disturbed_ratio = 0.6, .seed = 3};
  const auto report = simulate(shape, scaled(launches, 2)).audit();
  EXPECT_THAT(rules_on(report, name_of(launches)), ElementsAre("R04"));
}

}  // namespace
}  // namespace assay::audit_test
