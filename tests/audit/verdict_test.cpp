// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this an agreement on one source, or on bounds that leave a side open, would go unnoticed.
#include "harness/audit/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/counter_judge.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit {
namespace {

using model::verdict;
using testing::HasSubstr;

counter_evidence counter() {
  counter_evidence made;
  made.spec = specs_of(audit_test::test_contract())[audit_test::tokens];
  made.has_reading = made.was_measured = true;
  made.last_state = telemetry::reading_state::measured;
  return made;
}

void add(counter_evidence& to, int source, int relation, std::int64_t claimed,
         std::int64_t observed) {
  reference_evidence& reference = reference_of(to, source, relation, false);
  if (relation == ASSAY_EQUAL)
    reference.exact.compare({}, number::of(claimed), number::of(observed));
  else
    reference.bound.compare({}, number::of(claimed), number::of(observed),
                            relation == ASSAY_AT_MOST);
}

decision verdict_of(const counter_evidence& of) {
  return decide(of, {});
}

TEST(Verdict, two_sources_that_hold_agree) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  EXPECT_EQ(verdict_of(c).verdict, verdict::unmeasured);
  EXPECT_EQ(verdict_of(c).reason, "one reference only: ledger");
  add(c, ASSAY_SOURCE_CONTENT, ASSAY_EQUAL, 5, 5);
  EXPECT_EQ(verdict_of(c).verdict, verdict::agree);
}

TEST(Verdict, one_source_said_twice_is_one_source) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_AT_MOST, 5, 5);
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_AT_LEAST, 5, 5);
  EXPECT_EQ(verdict_of(c).verdict, verdict::unmeasured);
}

TEST(Verdict, events_of_the_device_that_reports_the_records_are_no_second_source) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_EVENTS, ASSAY_EQUAL, 5, 5);
  EXPECT_EQ(verdict_of(c).verdict, verdict::agree) << "two, unless the facts say otherwise";
  c.has_one_observer = true;
  EXPECT_EQ(verdict_of(c).verdict, verdict::unmeasured);
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  EXPECT_EQ(verdict_of(c).verdict, verdict::agree);
}

TEST(Verdict, one_side_of_a_bracket_is_no_second_reference) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, 5, 9);
  EXPECT_EQ(verdict_of(c).verdict, verdict::unmeasured);
  EXPECT_THAT(verdict_of(c).reason, HasSubstr("host span give one side only (at most)"));
  add(c, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_LEAST, 5, 3);
  EXPECT_EQ(verdict_of(c).verdict, verdict::agree);
}

TEST(Verdict, opposite_sides_of_two_sources_make_one_reference) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, 5, 9);
  add(c, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_LEAST, 5, 3);
  EXPECT_THAT(verdict_of(c).reason,
              testing::StartsWith("one reference only: device records to host span"));
  add(c, ASSAY_SOURCE_ORACLE, ASSAY_EQUAL, 5, 5);
  EXPECT_EQ(verdict_of(c).verdict, verdict::agree);
}

TEST(Verdict, sides_of_the_same_direction_make_none) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, 5, 9);
  add(c, ASSAY_SOURCE_PROCESS, ASSAY_AT_MOST, 5, 8);
  EXPECT_EQ(verdict_of(c).verdict, verdict::unmeasured);
}

TEST(Verdict, a_void_reference_outweighs_two_that_hold) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_CONTENT, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL, 5, 5);
  c.references.back().void_reason = "R18: lost";
  EXPECT_EQ(verdict_of(c).verdict, verdict::undecided);
  EXPECT_EQ(verdict_of(c).reason, "R18: lost");
}

TEST(Verdict, a_contradiction_that_no_rule_names_is_undecided_and_not_agree) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_CONTENT, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_ORACLE, ASSAY_EQUAL, 5, 6);
  EXPECT_EQ(verdict_of(c).verdict, verdict::undecided);
}

TEST(Verdict, a_warning_alone_does_not_break_a_counter_that_holds) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_CONTENT, ASSAY_EQUAL, 5, 5);
  const model::finding warned =
      finding_of("R02", "IMPOSSIBLE_BANDWIDTH", model::severity::warning, c.spec.name);
  EXPECT_EQ(decide(c, {&warned, 1}).verdict, verdict::agree);
  const model::finding convicted =
      finding_of("R02", "IMPOSSIBLE_BANDWIDTH", model::severity::critical, c.spec.name);
  EXPECT_EQ(decide(c, {&convicted, 1}).verdict, verdict::disagree);
}

TEST(Verdict, what_the_counter_says_of_itself_counts) {
  counter_evidence c = counter();
  add(c, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 5, 5);
  add(c, ASSAY_SOURCE_CONTENT, ASSAY_EQUAL, 5, 5);
  c.was_lower_bound = true;
  EXPECT_EQ(verdict_of(c).verdict, verdict::undecided);
  c.was_lower_bound = false;
  c.was_lost = true;
  EXPECT_EQ(verdict_of(c).verdict, verdict::undecided);
}

}  // namespace
}  // namespace assay::audit
