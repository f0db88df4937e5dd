// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this an equation of the contract could be read and never tried, or a counter accused that
// another one of it is wrong about.
#include "harness/audit/balance_fold.h"

#include <bit>
#include <cstdint>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using model::verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using readings = std::vector<assay_reading>;

test_trace balanced(row on, const std::string& equation, const lie& told = {}) {
  test_trace trace = simulate({}, told);
  for (trace::contract_row& each : trace.rows) each.identity = "none: for this test";
  trace.rows[on].identity = equation;
  return trace;
}

const model::rule_line& line_of_rule(const model::audit_report& report, const std::string& id) {
  for (const model::rule_line& line : report.rules)
    if (line.id == id) return line;
  ADD_FAILURE() << id;
  return report.rules.front();
}

std::uint64_t evaluated(const test_trace& trace) {
  return line_of_rule(trace.audit(), "R07").evaluated_samples;
}

// The load, and in each of 2 requests 21 passes and the request itself.
TEST(Balance, is_tried_at_the_end_of_each_window) {
  const std::string equal = "test.engine.made_tokens = test.engine.made_tokens";
  EXPECT_EQ(evaluated(balanced(tokens, equal)), 44u);
  EXPECT_EQ(evaluated(balanced(tokens, equal + " at each pass")), 42u);
  EXPECT_EQ(evaluated(balanced(tokens, "none: nothing")), 0u);
  EXPECT_EQ(evaluated(balanced(live_bytes, "test.arena.live_bytes <= test.arena.peak_bytes")), 45u);
}

// 12 launches and 4096 bytes each a pass; the second is reset like the first.
TEST(Balance, holds_on_an_honest_run) {
  for (const char* equation :
       {"test.arena.live_bytes = test.arena.peak_bytes",
        "test.arena.live_bytes - test.arena.peak_bytes = test.arena.frees_count",
        "test.engine.made_tokens + 1 <= test.compute.launches_count",
        // A count of the process and one of the request have common gains only.
        "test.device.syncs_count <= test.engine.made_tokens + 1"}) {
    const auto report = balanced(live_bytes, equation).audit();
    EXPECT_THAT(report.findings, IsEmpty()) << equation << text_of(report);
    EXPECT_GT(line_of_rule(report, "R07").evaluated_samples, 0u) << equation;
  }
}

// Nobody refers to the random draws; the tokens are confirmed by two.
lie draws_beyond_tokens() {
  return {[](readings& r, int) {
            r[random_draws].bits = 2 * r[tokens].bits;
            r[random_draws].state = r[tokens].state;
          },
          {}};
}

const std::string draws_within_tokens = "test.sampling.random_count <= test.engine.made_tokens";

TEST(Balance, that_is_broken_falls_on_the_part_that_nobody_confirms) {
  const auto report = balanced(random_draws, draws_within_tokens, draws_beyond_tokens()).audit();
  EXPECT_THAT(rules_on(report, name_of(random_draws)), ElementsAre("R07")) << text_of(report);
  EXPECT_EQ(report.findings.size(), 1u) << text_of(report);
  EXPECT_EQ(line_of(report, random_draws).verdict, verdict::disagree);
  EXPECT_EQ(line_of(report, tokens).verdict, verdict::agree);
  EXPECT_THAT(report.findings[0].message, HasSubstr("2 against 1 in prefill 0"));
}

TEST(Balance, that_is_broken_leaves_nobody_agreeing_who_may_be_wrong) {
  const auto report =
      balanced(random_draws, draws_within_tokens, draws_beyond_tokens()).audit(all_but("R07"));
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(line_of(report, random_draws).verdict, verdict::undecided);
  // Both sides are levels: which of them is wrong stays open.
  const auto levels =
      balanced(live_bytes, "test.arena.live_bytes + 1 = test.arena.peak_bytes").audit();
  ASSERT_EQ(levels.findings.size(), 1u) << text_of(levels);
  EXPECT_EQ(levels.findings[0].rule, "R07");
  EXPECT_EQ(levels.findings[0].subject, "test.arena.live_bytes + 1 = test.arena.peak_bytes");
  EXPECT_EQ(line_of(levels, live_bytes).verdict, verdict::undecided);
  EXPECT_EQ(line_of(levels, peak_bytes).verdict, verdict::undecided);
}

TEST(Balance, that_a_wrong_part_explains_is_that_parts_finding) {
  const lie doubled{[](readings& r, int) { r[tokens].bits *= 2; }, {}};
  const auto report =
      balanced(tokens, "test.engine.made_tokens <= test.device.syncs_count", doubled).audit();
  EXPECT_THAT(rules_on(report, name_of(tokens)), ElementsAre("R04")) << text_of(report);
  EXPECT_EQ(report.findings.size(), 1u) << text_of(report);
}

TEST(Balance, is_not_tried_where_a_part_has_no_number) {
  const lie lost{[](readings& r, int) { r[random_draws].state = ASSAY_LOST; }, {}};
  EXPECT_EQ(evaluated(balanced(random_draws, draws_within_tokens, lost)), 0u);
}

TEST(Balance, of_a_rate_is_none) {
  EXPECT_EQ(evaluated(balanced(weights_rate,
                               "test.weights.h2d_bytes_per_s <= "
                               "test.weights.h2d_bytes")),
            0u);
}

// A ratio of the launches among the tokens: tokens / launches, 1 in 12. What it publishes is told.
test_trace with_ratio(const std::function<double(double part, double whole)>& told) {
  test_trace trace = simulate(
      {}, {[told](readings& r, int) {
             if (r[launches].state != ASSAY_MEASURED) return;
             r[random_draws].state = ASSAY_MEASURED;
             r[random_draws].bits = std::bit_cast<std::int64_t>(
                 told(static_cast<double>(r[tokens].bits), static_cast<double>(r[launches].bits)));
           },
           {}});
  trace::contract_row& ratio = trace.rows[random_draws];
  ratio.name = "test.sampling.token_ratio";
  ratio.unit = unit::ratio;
  ratio.kind = telemetry::counter_kind::ratio;
  ratio.identity = ratio.name + " = test.engine.made_tokens / test.compute.launches_count";
  return trace;
}

TEST(HitRate, is_recomputed_from_its_parts_in_every_snapshot) {
  const auto honest = with_ratio([](double part, double whole) { return part / whole; }).audit();
  EXPECT_THAT(honest.findings, IsEmpty()) << text_of(honest);
  EXPECT_GE(line_of_rule(honest, "R08").evaluated_samples, 42u);
}

TEST(HitRate, that_is_another_figure_is_found_by_R08_and_one_rounding_off_is_not) {
  const auto lying =
      with_ratio([](double part, double whole) { return 1.001 * part / whole; }).audit();
  EXPECT_THAT(rules_on(lying, "test.sampling.token_ratio"), ElementsAre("R08")) << text_of(lying);
  EXPECT_EQ(lying.findings.size(), 1u);
  EXPECT_THAT(lying.findings[0].message, HasSubstr("its own parts give"));
  const auto inside =
      with_ratio([](double part, double whole) { return (1.0 + 5e-7) * part / whole; }).audit();
  EXPECT_THAT(inside.findings, IsEmpty()) << text_of(inside);
  const auto silent = with_ratio([](double, double) { return 0.5; }).audit(all_but("R08"));
  EXPECT_THAT(silent.findings, IsEmpty()) << "no other rule knows of the parts";
}

// A part that its own references contradict is that part's finding.
TEST(HitRate, of_a_wrong_part_is_the_parts_finding) {
  test_trace trace = with_ratio([](double part, double whole) { return part / whole; });
  for (auto& each : trace.pieces)
    if (auto* snapshot = std::get_if<snapshot_piece>(&each))
      if (snapshot->readings[tokens].state == ASSAY_MEASURED) snapshot->readings[tokens].bits *= 2;
  const auto report = trace.audit();
  EXPECT_THAT(rules_on(report, "test.sampling.token_ratio"), IsEmpty()) << text_of(report);
  EXPECT_THAT(rules_on(report, name_of(tokens)), ElementsAre("R04")) << text_of(report);
}

}  // namespace
}  // namespace assay::audit_test
