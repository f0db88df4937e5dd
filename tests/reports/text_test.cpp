// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, colours could reach a file, a counter's name could drive the reader's terminal, and
// the worst line could hide at the end.
#include "reports/text/audit_text.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/wording/audit_words.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string without_colours(std::string text) {
  for (auto at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b'))
    text.erase(at, text.find('m', at) - at + 1);
  return text;
}

TEST(Text, opens_with_the_headline) {
  EXPECT_THAT(audit_as_text(sample_report()),
              StartsWith("6 counters: 3 agree, 1 disagree, 1 undecided, 1 unmeasured; 4 findings"));
  EXPECT_THAT(audit_as_text(clean_report()),
              StartsWith("2 counters: 2 agree, 0 disagree, 0 undecided, 0 unmeasured; 0 findings"));
}

TEST(Text, lists_the_worst_first_and_keeps_the_contracts_order_within) {
  const auto report = sample_report();
  std::vector<std::string> names;
  for (const auto* line : worst_first(report)) names.push_back(line->name);
  EXPECT_THAT(names, ::testing::ElementsAre(
                         "runtime.weights.h2d_ns", "runtime.weights.h2d_bytes_per_s",
                         "runtime.sampling.random_draws_count", "runtime.weights.h2d_bytes",
                         "runtime.arena.peak_bytes", "runtime.engine.decode_tokens_per_s"));
}

TEST(Text, has_no_escape_unless_asked_and_the_same_words_if_asked) {
  const std::string bare = audit_as_text(sample_report());
  EXPECT_THAT(bare, Not(HasSubstr("\x1b")));
  const std::string coloured = audit_as_text(sample_report(), {.is_coloured = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[31m"));
  EXPECT_EQ(without_colours(coloured), bare);
}

TEST(Text, a_name_from_a_trace_cannot_drive_the_terminal) {
  auto report = sample_report();
  report.counters[0].name = "evil\x1b[2Jname\nsecond line";
  report.findings[0].message = "clear\x1b]0;title\x07";
  report.facts[0].value = "\x1b[31m";
  report.incompleteness = "\x1b[1m";
  report.is_complete = false;
  const std::string text = audit_as_text(report);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("evil?[2Jname second line"));
}

TEST(Text, an_absent_claim_prints_its_reason_in_its_line) {
  const std::string text = audit_as_text(sample_report());
  EXPECT_THAT(text, HasSubstr("not applicable: greedy decoding draws no random number"));
}

TEST(Text, says_of_a_reference_whether_it_holds_and_what_it_saw_where_that_differs) {
  const auto report = sample_report();
  EXPECT_EQ(evidence(report.counters[0]), "= device records, = ledger");
  EXPECT_EQ(evidence(report.counters[1]),
            "≉ device records 1.724 ms (claimed there: 37.90 µs), host span compared nothing; R01");
  EXPECT_THAT(evidence(report.counters[2]),
              StartsWith("device records void (G1: span above the host's)"));
}

TEST(Text, a_broken_reference_that_reads_like_the_claim_still_shows_its_value) {
  auto line = sample_report().counters[0];
  line.references[1].holds = false;
  EXPECT_EQ(evidence(line), "= device records, ≠ ledger 7,012,352 B");
}

// A reference that saw a part of the run, beside what was claimed of the whole, is no pair.
TEST(Text, a_reference_of_a_part_of_the_run_names_what_was_claimed_of_that_part) {
  auto line = sample_report().counters[0];
  line.references[0].claimed = number(12'352);
  line.references[0].observed = number(12'352);
  line.references[1].claimed = line.claimed;
  EXPECT_EQ(evidence(line), "= device records 12,352 B (claimed there: 12,352 B), = ledger");
}

TEST(Text, an_incomplete_trace_says_so_at_the_top) {
  auto report = clean_report();
  report.is_complete = false;
  EXPECT_THAT(audit_as_text(report), HasSubstr("INCOMPLETE (the writer did not close the trace)"));
}

TEST(Text, every_rule_prints_how_much_it_evaluated) {
  const std::string text = audit_as_text(sample_report());
  EXPECT_THAT(text, HasSubstr("R04 bytes_mismatch evaluated 5,120 samples\n"));
  EXPECT_THAT(text, HasSubstr("R14 phantom        evaluated nothing\n"));
}

TEST(Words, a_bandwidth_that_cannot_be_is_a_rate_also_where_its_subject_is_a_time) {
  auto report = sample_report();
  model::finding found;
  found.subject = report.counters.front().name;
  report.counters.front().unit = "ns";
  found.claimed = real(776.2e9);
  found.observed = real(234.4e9);
  found.unit = "bytes_per_s";
  EXPECT_EQ(figures(report, found), "claimed 776.2 GB/s, observed 234.4 GB/s");
  found.unit.clear();
  EXPECT_NE(figures(report, found).find(" ns"), std::string::npos);
}

}  // namespace
}  // namespace assay::reports
