// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a lie could survive, be caught for another reason than it was planted for, or
// hit honest counters beside it, and the matrix would still say ok.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/audit/auditor.h"
#include "harness/cli/audited_run.h"
#include "harness/selftest/matrix.h"
#include "reports/model/outcome.h"
#include "reports/text/audit_text.h"
#include "reports/wording/investigation_words.h"
#include "tests/selftest/faulty_run.h"

namespace assay::selftest_test {
namespace {

using model::verdict;
using selftest::lie;
using selftest::lies;
using selftest::strength;

std::string name_of_lie(const lie& planted) {
  return std::string(planted.name);
}

std::vector<audit::rule> all_but(std::string_view rule) {
  std::vector<audit::rule> rest;
  for (const audit::rule& each : audit::rules())
    if (each.id != rule) rest.push_back(each);
  return rest;
}

// One lie in the run, and its audits: with every rule, and without the one that must catch it.
struct staged {
  const lie* planted;
  strength how;
  std::unique_ptr<selftest::instrument> instrument;
  memory_trace trace;
};

// Every lie beside one honest instrument, in one run for all tests of this file.
struct stage {
  selftest::instrument honest;
  memory_trace honest_trace;
  std::deque<staged> lying;
};

const stage& the_stage() {
  static const std::unique_ptr<stage> all = [] {
    auto made = std::make_unique<stage>();
    for (const lie& planted : lies())
      for (const strength how : {strength::gross, strength::just_inside}) {
        staged& added = made->lying.emplace_back();
        added.planted = &planted;
        added.how = how;
        added.instrument = planted.make(how);
      }
    std::vector<cli::track> tracks{{&made->honest, &made->honest_trace}};
    for (staged& each : made->lying) tracks.push_back({each.instrument.get(), &each.trace});
    const auto ran = cli::audited_run(short_run(), tracks, [](std::string_view) {});
    EXPECT_TRUE(ran.has_value()) << (ran ? "" : ran.error().message);
    return made;
  }();
  return *all;
}

const model::audit_report& honest_report() {
  static const model::audit_report report = the_stage().honest_trace.audit();
  return report;
}

// Of a run without a limit, and of one with.
std::vector<lie> every_lie() {
  std::vector<lie> all(lies().begin(), lies().end());
  all.insert(all.end(), selftest::lies_under_limit().begin(), selftest::lies_under_limit().end());
  return all;
}

TEST(Lies, are_well_formed) {
  std::set<std::string> names;
  std::set<std::string_view> rules;
  for (const audit::rule& each : audit::rules()) rules.insert(each.id);
  for (const lie& planted : every_lie()) {
    EXPECT_TRUE(names.insert(name_of_lie(planted)).second) << planted.name << " stands twice";
    EXPECT_TRUE(rules.contains(planted.rule)) << planted.rule << " is no rule";
    EXPECT_FALSE(planted.tells.empty()) << planted.name;
    EXPECT_TRUE(planted.through.empty() || rules.contains(planted.through)) << planted.name;
    EXPECT_FALSE(planted.subjects.empty()) << planted.name;
    for (const telemetry::counter_id subject : planted.subjects)
      EXPECT_LT(static_cast<int>(subject), telemetry::counter_total) << planted.name;
    for (const strength how : {strength::gross, strength::just_inside})
      EXPECT_NE(planted.make(how), nullptr) << planted.name;
  }
}

// What explains has a rule that it explains, and what finds needs none.
TEST(Lies, name_the_finding_behind_an_explanation) {
  for (const lie& planted : every_lie())
    for (const audit::rule& each : audit::rules()) {
      if (each.id != planted.rule) continue;
      const bool is_explained = each.role == audit::rule_role::explains;
      EXPECT_EQ(!planted.through.empty(), is_explained) << planted.name;
    }
}

// Told in the corpus alone (tests/audit): the one rate that the catalog keeps over a stretch of the
// run has bounds of the harness's that a hold-up moves by more than the prefill is of a request.
constexpr std::string_view told_in_the_corpus = "R19";

TEST(Lies, leave_no_rule_without_one) {
  const std::vector<lie> all = every_lie();
  for (const audit::rule& each : audit::rules())
    EXPECT_NE(each.id == told_in_the_corpus,
              std::any_of(all.begin(), all.end(),
                          [&](const lie& planted) { return planted.rule == each.id; }))
        << "nothing shows that " << each.id << " can fire";
}

TEST(Selftest, is_clean_where_nobody_lies) {
  EXPECT_EQ(outcome_of(honest_report()), model::outcome::clean)
      << reports::audit_as_text(honest_report());
}

TEST(Selftest, kills_every_lie_by_its_rule_and_spares_what_is_none) {
  std::vector<selftest::lie_result> results;
  for (const staged& each : the_stage().lying) {
    results.push_back(judge(*each.planted, each.how, honest_report(), each.trace.audit()));
    EXPECT_TRUE(results.back().is_passed) << each.planted->name << ": " << results.back().seen;
  }
  EXPECT_EQ(results.size(), 68u);
}

// A reader who sees the headline alone must not take a figure for true.
TEST(Selftest, the_headline_of_an_investigation_names_every_gross_lie) {
  for (const staged& each : the_stage().lying) {
    if (each.how != strength::gross) continue;
    model::investigation found;
    found.audit = each.trace.audit();
    EXPECT_TRUE(reports::is_headline_warning(found)) << each.planted->name;
    const std::string first = reports::investigation_headline(found).front();
    EXPECT_NE(first.find(each.planted->rule), std::string::npos)
        << each.planted->name << ": " << first;
  }
}

// What another rule says of a lie whose own rule was left out. A timer that stops early is also a
// wrong duration and an impossible bandwidth; where a missing record no longer voids, an honest
// counter looks wrong beside what is left. Every other lie has one rule alone.
// Where an explanation is left out, the finding that it explains stays.
bool may_speak(const lie& planted, std::string_view rule) {
  const std::string_view left_out = planted.rule;
  if (rule == planted.through) return true;
  if (left_out == "R01") return rule == "R05" || rule == "R02" || rule == "R03";
  // A sum of parts may exceed the window that holds them, a counter that stands still misses what
  // the ledger knows.
  if (left_out == "R06") return rule == "R05";
  if (left_out == "R13") return rule == "R04";
  return left_out == "R18" && rule == "R04";
}

class WithoutItsRule : public ::testing::TestWithParam<std::size_t> {};

TEST_P(WithoutItsRule, a_lie_survives) {
  const lie& planted = lies()[GetParam()];
  const auto rest = all_but(planted.rule);
  const auto& lying = the_stage().lying.at(2 * GetParam());
  ASSERT_EQ(lying.planted, &planted);
  const model::audit_report report = lying.trace.audit({}, rest);
  const auto result = judge(planted, strength::gross, honest_report(), report);
  EXPECT_FALSE(result.is_passed) << planted.name << " is called " << result.seen;
  for (const model::finding& found : report.findings)
    EXPECT_TRUE(may_speak(planted, found.rule)) << found.rule << ": " << found.message;
}

INSTANTIATE_TEST_SUITE_P(Each, WithoutItsRule, ::testing::Range<std::size_t>(0, lies().size()),
                         [](const auto& each) {
                           std::string name = name_of_lie(lies()[each.param]);
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace assay::selftest_test
