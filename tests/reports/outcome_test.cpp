// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a run that measured nothing, or one that was cut off, could end in exit code 0.
#include "reports/model/outcome.h"

#include <gtest/gtest.h>

#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

using model::outcome;
using model::outcome_of;

TEST(Outcome, nothing_found_is_clean) {
  EXPECT_EQ(outcome_of(clean_report()), outcome::clean);
}

TEST(Outcome, a_counter_that_disagrees_is_found_even_without_a_finding) {
  auto report = clean_report();
  report.counters[1].verdict = model::verdict::disagree;
  EXPECT_EQ(outcome_of(report), outcome::found);
}

TEST(Outcome, a_finding_is_found_unless_it_is_a_warning) {
  auto report = clean_report();
  report.findings = {sample_report().findings.back()};
  EXPECT_EQ(outcome_of(report), outcome::clean);
  report.findings[0].severity = model::severity::error;
  EXPECT_EQ(outcome_of(report), outcome::found);
}

TEST(Outcome, an_undecided_counter_is_undecided_and_found_goes_before_it) {
  auto report = clean_report();
  report.counters[0].verdict = model::verdict::undecided;
  EXPECT_EQ(outcome_of(report), outcome::undecided);
  report.counters[1].verdict = model::verdict::disagree;
  EXPECT_EQ(outcome_of(report), outcome::found);
}

TEST(Outcome, an_unmeasured_counter_is_clean_unless_strict) {
  auto report = clean_report();
  report.counters[0].verdict = model::verdict::unmeasured;
  EXPECT_EQ(outcome_of(report), outcome::clean);
  EXPECT_EQ(outcome_of(report, true), outcome::undecided);
}

TEST(Outcome, measuring_nothing_is_not_clean) {
  auto report = clean_report();
  report.counters.clear();
  EXPECT_EQ(outcome_of(report), outcome::could_not_measure);
  report = clean_report();
  report.record_count = 0;
  EXPECT_EQ(outcome_of(report), outcome::could_not_measure);
  report = clean_report();
  report.window_count = 0;
  EXPECT_EQ(outcome_of(report), outcome::could_not_measure);
}

// A trace without a snapshot has windows and records, and nothing of it was held against them.
TEST(Outcome, of_counters_that_are_all_unmeasured_nothing_was_measured) {
  auto report = clean_report();
  for (auto& each : report.counters) each.verdict = model::verdict::unmeasured;
  EXPECT_EQ(outcome_of(report), outcome::could_not_measure);
  report.findings.emplace_back().severity = model::severity::error;
  EXPECT_EQ(outcome_of(report), outcome::found);
}

TEST(Outcome, a_trace_that_was_cut_off_could_not_be_measured_whatever_it_shows) {
  auto report = sample_report();
  report.is_complete = false;
  EXPECT_EQ(outcome_of(report), outcome::could_not_measure);
}

TEST(Outcome, its_value_is_the_exit_code) {
  EXPECT_EQ(static_cast<int>(outcome::clean), 0);
  EXPECT_EQ(static_cast<int>(outcome::found), 1);
  EXPECT_EQ(static_cast<int>(outcome::could_not_measure), 3);
  EXPECT_EQ(static_cast<int>(outcome::undecided), 4);
}

}  // namespace
}  // namespace assay::reports
