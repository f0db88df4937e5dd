// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this an explanation could stand alone, be given for a figure that it does not fit, or
// hide another that fits as well.
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/r10_unit_suspect.h"
#include "harness/audit/r20_misattributed.h"
#include "harness/audit/r22_wrong_base.h"
#include "harness/audit/small_multiple.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using readings = std::vector<assay_reading>;

// An amount that one exact reference contradicts, and the finding of it.
audit::evidence disputed(std::int64_t claimed, std::int64_t observed) {
  audit::evidence made;
  audit::counter_evidence& counter = made.counters.emplace_back();
  counter.spec = audit::specs_of(test_contract())[weights_bytes];
  audit::reference_evidence& reference = counter.references.emplace_back();
  reference.relation = ASSAY_EQUAL;
  reference.source = ASSAY_SOURCE_LEDGER;
  reference.exact.compare({}, audit::number::of(claimed), audit::number::of(observed));
  return made;
}

model::finding a_finding(const std::string& rule) {
  return audit::finding_of(rule, "", model::severity::error, name_of(weights_bytes));
}

std::vector<std::string> units(std::int64_t claimed, std::int64_t observed) {
  std::vector<std::string> words;
  const auto from = disputed(claimed, observed);
  for (const auto& e : audit::unit_suspect(from, {}, a_finding("R04")).explanations)
    words.push_back(e.message);
  return words;
}

TEST(UnitSuspect, names_the_unit_that_fits_and_no_neighbour) {
  EXPECT_THAT(units(8'000'000, 1'000'000), ElementsAre("x 8: bits counted for bytes"));
  EXPECT_THAT(units(1'000'000, 1'000), ElementsAre(StartsWith("x 1000")));
  EXPECT_THAT(units(1'024'000, 1'000), ElementsAre(StartsWith("x 1024")));
  EXPECT_THAT(units(1, 1'000'000), ElementsAre(StartsWith("/ 10^6")));
  EXPECT_THAT(units(1'048'576, 1'000'000), ElementsAre(StartsWith("x 2^20/10^6")));
  EXPECT_THAT(units(1'000'000, 1'073'742), ElementsAre(StartsWith("/ 2^30/10^9")));
  EXPECT_THAT(units(1'024, 1'000), ElementsAre(StartsWith("x 2^10/10^3")));
}

TEST(UnitSuspect, takes_one_percent_and_no_more) {
  EXPECT_THAT(units(8'079, 1'000), ElementsAre(StartsWith("x 8")));
  EXPECT_THAT(units(8'081, 1'000), IsEmpty());
  EXPECT_THAT(units(7'921, 1'000), ElementsAre(StartsWith("x 8")));
  EXPECT_THAT(units(7'919, 1'000), IsEmpty());
  EXPECT_THAT(units(2'000, 1'000), IsEmpty()) << "counted twice is no unit";
}

TEST(UnitSuspect, explains_failures_of_figures_alone) {
  const auto from = disputed(8'000, 1'000);
  for (const char* rule : {"R02", "R03", "R04", "R05"})
    EXPECT_EQ(audit::unit_suspect(from, {}, a_finding(rule)).evaluated, 1u) << rule;
  for (const char* rule : {"R01", "R06", "R07", "R12", "R13", "R14", "R16", "R18"})
    EXPECT_EQ(audit::unit_suspect(from, {}, a_finding(rule)).evaluated, 0u) << rule;
  const auto honest = disputed(1'000, 1'000);
  EXPECT_EQ(audit::unit_suspect(honest, {}, a_finding("R04")).evaluated, 0u);
}

// A time in microseconds is as short as an enqueue; an enqueue is an eighth of its work by chance.
TEST(UnitSuspect, explains_a_time_taken_for_an_enqueue_by_a_thousand_alone) {
  const auto said = [](std::int64_t claimed) {
    auto from = disputed(claimed, 80'000'000);
    from.counters[0].spec = audit::specs_of(test_contract())[compute_ns];
    auto finding = a_finding("R01");
    finding.subject = name_of(compute_ns);
    std::vector<std::string> words;
    for (const auto& e : audit::unit_suspect(from, {}, finding).explanations)
      words.push_back(e.message);
    return words;
  };
  EXPECT_THAT(said(80'000), ElementsAre(StartsWith("/ 1000")));
  EXPECT_THAT(said(81'000), IsEmpty());
  EXPECT_THAT(said(10'000'000), IsEmpty()) << "an eighth is chance";
  EXPECT_THAT(said(78'125), IsEmpty()) << "a time is in no Ki";
}

TEST(SmallMultiple, names_two_three_and_four_and_nothing_else) {
  const auto words = [](double claimed, double observed) {
    const auto found = audit::small_multiple(claimed, observed);
    return found ? found->message : std::string();
  };
  EXPECT_EQ(words(2, 1), "x 2: counted twice");
  EXPECT_EQ(words(1, 3), "/ 3: every third one counted");
  EXPECT_THAT(words(4.03, 1), StartsWith("x 4"));
  for (const double quotient : {0.0, -2.0, 1.2, 2.03, 5.0, 8.0}) EXPECT_EQ(words(quotient, 1), "");
  EXPECT_EQ(words(1, 0), "");
}

TEST(WrongBase, names_every_base_that_fits) {
  auto from = disputed(100, 12'800);
  from.by_kind[ASSAY_WINDOW_REQUEST].windows = 4;
  from.by_kind[ASSAY_WINDOW_PREFILL].windows = 4;
  from.by_kind[ASSAY_WINDOW_DECODE_STEP].windows = 508;
  const auto found = audit::wrong_base(from, {}, a_finding("R04"));
  std::vector<std::string> words;
  for (const auto& e : found.explanations) words.push_back(e.message);
  // 127 and 128 are nearer to each other than 2 %.
  EXPECT_THAT(words, ElementsAre("/ 127: divided by the decode steps a request",
                                 "/ 128: divided by the passes a request"));
  from = disputed(105, 12'800);
  from.by_kind[ASSAY_WINDOW_REQUEST].windows = 4;
  from.by_kind[ASSAY_WINDOW_PREFILL].windows = 4;
  from.by_kind[ASSAY_WINDOW_DECODE_STEP].windows = 508;
  EXPECT_THAT(audit::wrong_base(from, {}, a_finding("R04")).explanations, IsEmpty());
}

audit::evidence three_amounts(std::array<std::int64_t, 3> claimed) {
  audit::evidence made;
  const std::array<row, 3> rows{weights_bytes, inputs_bytes, logits_bytes};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    made.counters.push_back(
        disputed(claimed[i], 100 * (static_cast<std::int64_t>(i) + 1)).counters.front());
    made.counters.back().spec = audit::specs_of(test_contract())[rows[i]];
  }
  return made;
}

std::vector<std::string> rings(std::array<std::int64_t, 3> claimed) {
  const auto from = three_amounts(claimed);
  std::vector<model::finding> all;
  for (const row which : {weights_bytes, inputs_bytes, logits_bytes}) {
    all.push_back(a_finding("R04"));
    all.back().subject = name_of(which);
  }
  std::vector<std::string> words;
  for (const model::finding& one : all)
    for (const auto& e : audit::misattributed(from, all, one).explanations)
      words.push_back(e.message);
  return words;
}

TEST(Misattributed, finds_pairs_and_rings_and_nothing_that_is_not_closed) {
  EXPECT_THAT(rings({200, 100, 300}),
              ElementsAre("holds the figure of test.inputs.h2d_bytes, which holds this one's",
                          "holds the figure of test.weights.h2d_bytes, which holds this one's"));
  EXPECT_EQ(rings({200, 300, 100}).size(), 3u);
  EXPECT_THAT(rings({200, 101, 300}), IsEmpty());
  EXPECT_THAT(rings({200, 300, 400}), IsEmpty());
}

// On a whole trace, the nearest comes first and is the likely cause.
const model::finding& only_finding(const model::audit_report& report) {
  EXPECT_EQ(report.findings.size(), 1u) << text_of(report);
  return report.findings.front();
}

TEST(Explained, a_unit_a_base_and_a_warm_up_are_the_likely_cause) {
  const auto bits = simulate({}, scaling(weights_bytes, 8)).audit();
  EXPECT_EQ(only_finding(bits).rule, "R04");
  EXPECT_EQ(only_finding(bits).likely_cause, "R10 UNIT_SUSPECT, x 8: bits counted for bytes");

  const auto us = simulate({}, scaling(compute_ns, 1000)).audit();
  EXPECT_EQ(only_finding(us).rule, "R05");
  EXPECT_THAT(only_finding(us).likely_cause, StartsWith("R10 UNIT_SUSPECT, x 1000"));

  const auto late = simulate({}, scaling(compute_ns, 0.001)).audit();
  EXPECT_THAT(only_finding(late).likely_cause, StartsWith("R10 UNIT_SUSPECT, / 1000"));
  const auto enqueue = simulate({}, scaling(compute_ns, 0.00995)).audit();  // 12 calls
  EXPECT_EQ(only_finding(enqueue).rule, "R01");
  EXPECT_THAT(only_finding(enqueue).explanations, IsEmpty());

  // One of the 21 passes of a request, where all of them are claimed.
  const lie mean{[](readings& r, int) { r[tokens].bits = r[tokens].bits > 0 ? 1 : 0; }, {}};
  const auto base = simulate({}, mean).audit();
  EXPECT_EQ(only_finding(base).rule, "R04") << text_of(base);
  EXPECT_EQ(only_finding(base).likely_cause,
            "R22 WRONG_BASE, / 21: divided by the passes a request");

  // The load's copies, in the first request's inputs.
  auto requests = std::make_shared<int>(0);
  const lie load{[=](readings& r, int window) {
                   if (window == ASSAY_WINDOW_PREFILL) ++*requests;
                   if (*requests == 1) r[inputs_bytes].bits += 8 * 1'000'003;
                 },
                 {}};
  const auto warm = simulate({}, load).audit();
  EXPECT_EQ(only_finding(warm).rule, "R04") << text_of(warm);
  EXPECT_EQ(only_finding(warm).likely_cause,
            "R23 WARMUP_INCLUDED, 8000024 bytes more: what the load would add");
}

TEST(Explained, what_the_finding_says_itself_comes_first_where_nothing_is_nearer) {
  const auto doubled = simulate({}, scaling(weights_bytes, 2)).audit();
  const auto& found = only_finding(doubled);
  EXPECT_EQ(found.likely_cause, "x 2: counted twice");
  // There are two requests as well, and that is said.
  ASSERT_EQ(found.explanations.size(), 2u);
  EXPECT_EQ(found.explanations[1].rule, "R22");
  EXPECT_THAT(found.explanations[1].message, HasSubstr("requests"));
}

TEST(Explained, nothing_that_is_found_by_nobody) {
  const auto honest = simulate().audit();
  EXPECT_THAT(honest.findings, IsEmpty());
  int explainers = 0;
  for (const model::rule_line& line : honest.rules) {
    if (!line.is_explainer) continue;
    ++explainers;
    EXPECT_EQ(line.evaluated_samples, 0u) << line.id;
    EXPECT_EQ(line.fired, 0u) << line.id;
  }
  EXPECT_EQ(explainers, 7);
  // Without the rule that finds, the same lie is explained by nobody.
  const auto unfound = simulate({}, scaling(weights_bytes, 8)).audit(all_but("R04"));
  EXPECT_THAT(unfound.findings, IsEmpty()) << text_of(unfound);
}

TEST(Explained, no_rule_that_explains_has_a_finding_of_its_own) {
  for (const double factor : {0.001, 0.125, 0.5, 2.0, 8.0, 21.0, 42.0, 1000.0, 1024.0})
    for (const row which : {weights_bytes, inputs_bytes, compute_ns, launches, step_ns}) {
      const auto report = simulate({}, scaling(which, factor)).audit();
      for (const model::finding& found : report.findings)
        for (const audit::rule& rule : audit::rules())
          EXPECT_FALSE(rule.id == found.rule && rule.role == audit::rule_role::explains)
              << text_of(report);
    }
}

TEST(Explained, the_lines_of_the_rules_keep_the_order_of_the_table) {
  const auto report = simulate().audit();
  ASSERT_EQ(report.rules.size(), audit::rules().size());
  for (std::size_t i = 0; i < report.rules.size(); ++i)
    EXPECT_EQ(report.rules[i].id, audit::rules()[i].id);
}

}  // namespace
}  // namespace assay::audit_test
