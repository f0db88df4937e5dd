// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a rule could be a copy of another, or could do nothing at all, and the table of
// rules would be as long: each is left out in turn, its lies must live, and no other verdict may
// change.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "harness/guard/rules.h"
#include "tests/audit/corpus_guard.h"
#include "tests/audit/corpus_kill.h"

namespace assay::audit_test {
namespace {

using model::verdict;

struct staged {
  const corpus_case* of;
  test_trace trace;
  model::audit_report whole;  ///< with every rule
};

const std::vector<staged>& stage() {
  static const std::vector<staged> all = [] {
    std::vector<staged> made;
    for (const corpus_case& each : corpus()) {
      test_trace trace = each.make();
      model::audit_report whole = trace.audit();
      made.push_back({&each, std::move(trace), std::move(whole)});
    }
    return made;
  }();
  return all;
}

bool names(std::string_view words, std::string_view rule) {
  return words.find(rule) != std::string_view::npos;
}

/// Rule and subject of what is found; explanations left aside.
std::set<std::string> found_in(const model::audit_report& report, std::string_view without = {}) {
  std::set<std::string> all;
  for (const model::finding& each : report.findings)
    if (each.rule != without) all.insert(each.rule + " " + each.subject);
  return all;
}

// Of the rules that void, everything that they void hangs together: their own lies alone change.
void expect_only_its_own_change(const staged& each, std::string_view rule,
                                const model::audit_report& rest) {
  EXPECT_EQ(is_killed(rest, *each.of), is_killed(each.whole, *each.of))
      << each.of->name << " without " << rule;
  EXPECT_EQ(found_in(rest), found_in(each.whole, rule)) << each.of->name << " without " << rule;
  for (std::size_t row = 0; row < rest.counters.size(); ++row)
    EXPECT_EQ(rest.counters[row].verdict, each.whole.counters[row].verdict)
        << each.of->name << " without " << rule << ": " << rest.counters[row].name;
}

class LeftOut : public testing::TestWithParam<std::size_t> {};

TEST_P(LeftOut, its_lies_live_and_nothing_else_changes) {
  const audit::rule& rule = audit::rules()[GetParam()];
  const auto rules = all_but(rule.id);
  for (const staged& each : stage()) {
    const model::audit_report rest = each.trace.audit(rules);
    if (each.of->rule == rule.id || each.of->through == rule.id)
      EXPECT_FALSE(is_killed(rest, *each.of)) << each.of->name << " lives on without " << rule.id;
    else if (!names(each.of->also, rule.id))
      expect_only_its_own_change(each, rule.id, rest);
    else
      EXPECT_TRUE(is_killed(rest, *each.of)) << each.of->name << " without " << rule.id;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, LeftOut, testing::Range<std::size_t>(0, audit::rules().size()),
                         [](const auto& each) {
                           return std::string(audit::rules()[each.param].id);
                         });

std::set<std::string> found_in(const model::guard_report& report) {
  std::set<std::string> all;
  for (const auto& each : report.findings) all.insert(each.rule + " " + each.subject);
  return all;
}

bool is_killed(const model::guard_report& report, const guard_case& of) {
  if (of.rule.empty()) return report.findings.empty();
  return found_in(report).count(std::string(of.rule) + " " + std::string(of.subject)) == 1;
}

TEST(LeftOutOfTheGuard, its_lies_live_and_nothing_else_changes) {
  for (const guard_case& each : guard_corpus()) {
    const auto whole = each.make({});
    EXPECT_TRUE(is_killed(whole, each))
        << each.name << ": " << testing::PrintToString(found_in(whole));
    EXPECT_LE(whole.findings.size(), 1u) << each.name << ": one fault, one finding";
    for (const guard::guard_rule& rule : guard::rules()) {
      const auto rest = each.make(rule.id);
      if (rule.id == each.rule)
        EXPECT_TRUE(rest.findings.empty()) << each.name << " lives on without " << rule.id;
      else
        EXPECT_EQ(found_in(rest), found_in(whole)) << each.name << " without " << rule.id;
    }
  }
}

TEST(KillMatrix, has_twenty_nine_rules_and_a_lie_for_each) {
  std::map<std::string, int> lies;
  for (const audit::rule& rule : audit::rules()) lies[std::string(rule.id)] = 0;
  for (const guard::guard_rule& rule : guard::rules()) lies[std::string(rule.id)] = 0;
  ASSERT_EQ(lies.size(), 29u);
  for (int number = 1; number <= 29; ++number) {
    std::string id = "R" + std::string(number < 10 ? "0" : "") + std::to_string(number);
    EXPECT_EQ(lies.count(id), 1u) << id;
  }
  for (const corpus_case& each : corpus()) ++lies[std::string(each.rule)];
  for (const guard_case& each : guard_corpus()) ++lies[std::string(each.rule)];
  for (const auto& [rule, count] : lies) EXPECT_GT(count, 0) << rule;
}

// Records that are wrong themselves may lead to no verdict on what rests on them, and never to yes.
TEST(KillMatrix, a_mutant_of_the_ground_truth_is_undecided_and_never_agrees) {
  int mutants = 0;
  for (const staged& each : stage()) {
    if (each.of->how != ending::undecided) continue;
    ++mutants;
    const auto* line = line_named(each.whole, each.of->subject);
    ASSERT_NE(line, nullptr) << each.of->name;
    EXPECT_EQ(line->verdict, verdict::undecided) << each.of->name << "\n" << text_of(each.whole);
    for (const model::finding& found : each.whole.findings)
      EXPECT_TRUE(found.rule == each.of->rule || names(each.of->also, found.rule))
          << each.of->name << ": " << found.message;
  }
  EXPECT_GE(mutants, 10);
}

std::string cell(std::string_view id, std::string_view rule, bool is_kill,
                 const std::set<std::string>& found, const std::set<std::string>& explained) {
  if (id == rule) return is_kill ? " **X** |" : " ! |";
  if (found.count(std::string(id)) != 0) return " x |";
  return explained.count(std::string(id)) != 0 ? " e |" : " |";
}

void add_row(std::ostream& out, const auto& of, bool is_kill, const std::set<std::string>& found,
             const std::set<std::string>& explained) {
  out << "| " << of.name << " | " << of.source << " | " << of.claims << " | " << of.truth << " |";
  for (const audit::rule& rule : audit::rules())
    out << cell(rule.id, of.rule, is_kill, found, explained);
  for (const guard::guard_rule& rule : guard::rules())
    out << cell(rule.id, of.rule, is_kill, found, explained);
  out << (of.rule == "G2" ? is_kill ? " **X** |" : " ! |" : " |") << "\n";
}

void add_head(std::ostream& out) {
  out << "# Kill matrix\n\n"
      << corpus().size() + guard_corpus().size() << " rows of the corpus against "
      << audit::rules().size() + guard::rules().size()
      << " rules. `tests/audit/kill_matrix_test.cpp` compares this page with what it computes\n"
         "(`ci/bless` writes it), takes each rule out in turn, and wants its lies to live and no "
         "other verdict to change.\n\n"
         "**X** the named rule kills the lie, x another speaks of the same fault, e another "
         "explains it. G2 is a gate on the ground truth.\nR25 to R27 are the guard's "
         "([guard.md](../guard.md)). A row without an X is a control: nothing may be found.\n\n"
         "| lie | modelled on | claims | truth |";
  for (const audit::rule& rule : audit::rules()) out << " " << rule.id << " |";
  for (const guard::guard_rule& rule : guard::rules()) out << " " << rule.id << " |";
  out << " G2 |\n|---|---|---|---|";
  for (std::size_t i = 0; i < audit::rules().size() + guard::rules().size() + 1; ++i) out << "---|";
  out << "\n";
}

std::string matrix_markdown() {
  std::ostringstream out;
  add_head(out);
  for (const staged& each : stage()) {
    std::set<std::string> found;
    std::set<std::string> explained;
    for (const model::finding& f : each.whole.findings) {
      found.insert(f.rule);
      for (const model::explanation& why : f.explanations) explained.insert(why.rule);
    }
    add_row(out, *each.of, is_killed(each.whole, *each.of), found, explained);
  }
  for (const guard_case& each : guard_corpus()) {
    const auto report = each.make({});
    std::set<std::string> found;
    for (const auto& f : report.findings) found.insert(f.rule);
    add_row(out, each, is_killed(report, each), found, {});
  }
  return out.str();
}

TEST(KillMatrix, is_the_one_that_is_committed) {
  const std::string made = matrix_markdown();
  std::ofstream(ASSAY_KILL_MATRIX) << made;
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/docs/evidence/kill-matrix.md");
  const std::string committed(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(made, committed) << "run ci/bless and read the diff";
}

}  // namespace
}  // namespace assay::audit_test
