// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this an audit that cries wolf on an honest run, or that agrees with what nobody measured,
// would go unnoticed.
#include <gtest/gtest.h>

#include "runtime/telemetry/range.h"
#include "tests/audit/shares.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using model::verdict;

TEST(Honest, a_clean_run_has_no_finding_and_agrees_where_two_references_stand) {
  const model::audit_report report = simulate().audit();
  EXPECT_TRUE(report.findings.empty()) << text_of(report);
  EXPECT_TRUE(report.is_complete) << report.incompleteness;
  for (const model::gate_line& gate : report.gates) EXPECT_TRUE(gate.holds) << gate.detail;
  for (std::size_t i = 0; i < row_total; ++i) {
    const auto& line = report.counters[i];
    const bool is_unmeasured = i == random_draws || i == graph_nodes;
    EXPECT_EQ(line.verdict, is_unmeasured ? verdict::unmeasured : verdict::agree)
        << line.name << ": " << text_of(report);
  }
}

TEST(Honest, a_counter_never_written_without_activity_is_unmeasured) {
  const auto report = simulate().audit();
  EXPECT_EQ(line_of(report, random_draws).reason, "never written; no activity to measure");
  EXPECT_EQ(line_of(report, graph_nodes).reason, "no graphs on the host device");
}

TEST(Honest, every_rule_that_finds_evaluates_samples) {
  for (const model::rule_line& line : with_shares(simulate()).audit().rules)
    EXPECT_EQ(line.evaluated_samples > 0, !line.is_explainer) << line.id;
}

TEST(Honest, the_same_trace_gives_the_same_report) {
  const test_trace trace = simulate({.device_noise = 0.3, .seed = 7});
  EXPECT_EQ(text_of(trace.audit()), text_of(trace.audit()));
}

TEST(Honest, a_launch_that_may_begin_early_and_does_is_no_disorder) {
  test_trace trace = simulate();
  const auto is_kernel = [](const assay_record& r) {
    return r.kind == ASSAY_ACTIVITY && r.op == ASSAY_OP_LAUNCH &&
           r.range == static_cast<int>(telemetry::range::compute);
  };
  const assay_record first = *trace.find(is_kernel, 0);
  assay_record& second = *trace.find(is_kernel, 1);
  second.start_ns = (first.start_ns + first.end_ns) / 2;
  EXPECT_NE(line_of(trace.audit(), launches).verdict, verdict::agree)
      << "its call did not allow it";
  trace.find(is_kernel, 1)->flags = ASSAY_PROGRAMMATIC;
  const auto report = trace.audit();
  EXPECT_TRUE(report.findings.empty()) << text_of(report);
  for (const model::gate_line& gate : report.gates) EXPECT_TRUE(gate.holds) << gate.detail;
  EXPECT_EQ(line_of(report, launches).verdict, verdict::agree) << text_of(report);
}

TEST(Honest, a_device_clock_of_its_own_is_mapped_by_the_clock_samples) {
  const auto report = simulate({.clock_offset_ns = 77'000'000'000}).audit();
  EXPECT_TRUE(report.findings.empty()) << text_of(report);
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::agree);
}

}  // namespace
}  // namespace assay::audit_test
