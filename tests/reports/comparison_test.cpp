// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a comment could be too long for a forge, hide what was found behind what was not,
// or do what a benchmark's name tells it to.
#include <algorithm>
#include <chrono>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reports/html/comparison_html.h"
#include "reports/json/comparison_json.h"
#include "reports/junit/comparison_junit.h"
#include "reports/markdown/code_span.h"
#include "reports/markdown/comparison_markdown.h"
#include "reports/model/comparison_outcome.h"
#include "reports/text/comparison_text.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/comparison_words.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample_comparison.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

using model::row_state;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Comparison, ten_thousand_rows_of_any_state_fit_a_comment) {
  for (const row_state state : model::all_row_states) {
    const std::string comment = comparison_as_markdown(long_comparison(10'000, state));
    EXPECT_LE(comment.size(), comment_limit_bytes) << to_string(state);
    EXPECT_THAT(comment, HasSubstr("more; the JSON has all of them"));
    EXPECT_EQ(count_of(comment, "<details>"), count_of(comment, "</details>"));
  }
}

TEST(Comparison, what_does_not_fit_is_counted) {
  const std::string comment = comparison_as_markdown(long_comparison(10'000, row_state::regressed));
  std::size_t shown = 0;
  for (const std::string& line : lines_of(comment)) shown += line.find("regressed |") < 20;
  std::string left = std::to_string(10'000 - shown);
  left.insert(1, ",");
  EXPECT_GT(shown, 50U);
  EXPECT_THAT(comment, HasSubstr("… and " + left + " more"));
}

TEST(Comparison, found_come_first_then_missing_and_the_rest_is_folded) {
  const std::string comment = comparison_as_markdown(sample_comparison());
  std::vector<std::size_t> places;
  for (const char* name :
       {"`BM_large [", "`BM_middle [", "`BM_small [", "`launches [", "`BM_fast [", "`BM_crashed [",
        "`BM_gone [", "`BM_new [", "`BM_other [", "<details>", "`BM_loud [", "`BM_same ["}) {
    places.push_back(comment.find(name));
    ASSERT_NE(places.back(), std::string::npos) << name;
  }
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end())) << comment;
  EXPECT_EQ(comment.find(comparison_marker), 0U);
}

TEST(Comparison, only_confirmed_rows_wear_flags) {
  const std::string comment = comparison_as_markdown(sample_comparison());
  EXPECT_THAT(comment, HasSubstr("| 🔴 regressed | `BM_large"));
  EXPECT_THAT(comment, HasSubstr("| ⚠️ regressed | `BM_middle"));
  EXPECT_THAT(comment, HasSubstr("| regressed | `BM_small"));
  EXPECT_THAT(comment, HasSubstr("| 🟢 improved | `BM_fast"));
  for (const char* flag : {"🔴", "⚠️", "🟢"})
    EXPECT_THAT(comparison_as_markdown(doubtful_comparison()), Not(HasSubstr(flag)));
}

TEST(Comparison, doubt_stands_above_the_table) {
  for (const std::string& text :
       {comparison_as_text(doubtful_comparison()), comparison_as_markdown(doubtful_comparison())}) {
    const std::size_t table = text.find("BM_large");
    for (const char* word : {"INCOMPLETE: interrupted", "CONTAMINATED: what", "advisory: "})
      EXPECT_LT(text.find(word), table) << word;
  }
}

TEST(Comparison, every_row_is_in_text_and_json) {
  const auto report = long_comparison(3000, row_state::unchanged);
  EXPECT_EQ(count_of(comparison_as_text(report), std::string(194, 'x')), 3000U);
  const auto document = nlohmann::json::parse(comparison_as_json(report, model::outcome::clean));
  EXPECT_EQ(document["rows"].size(), 3000U);
  EXPECT_EQ(document["summary"]["unchanged_count"], 3000);
}

TEST(Comparison, figures_are_read_as_people_write_them) {
  EXPECT_EQ(value_words(real(35'070), "ns"), "35.07 µs");
  EXPECT_EQ(value_words(real(0.31), "ns"), "0.310 ns");
  EXPECT_EQ(value_words(real(4.394e7), "ns"), "43.94 ms");
  EXPECT_EQ(value_words(real(12.4e9), "bytes_per_s"), "12.40 GB/s");
  EXPECT_EQ(value_words(real(1024), "bytes"), "1,024 B");
  EXPECT_EQ(value_words(real(1234.5), "tokens_per_s"), "1,235 tokens/s");
  EXPECT_EQ(value_words(absent("why"), "ns"), "-");
  auto row = changed_row("x", row_state::regressed, 0.758);
  EXPECT_EQ(change_words(row), "+75.8 %");
  EXPECT_EQ(interval_words(row), "+74.8 … +77.0 %");
  row.change_ratio = 3.5;
  EXPECT_EQ(change_words(row), "x 4.500");
  row.change_ratio = -0.0001;
  EXPECT_EQ(change_words(row), "-0.01 %");
  row.change_ratio.reset();
  EXPECT_EQ(change_words(row), "-");
}

TEST(Comparison, headline_counts_every_state) {
  EXPECT_EQ(comparison_headline(sample_comparison()),
            "11 rows: 4 regressed, 1 improved, 1 unchanged, 1 inconclusive, 1 added, 1 removed, "
            "1 errored, 1 not comparable");
}

TEST(CodeSpan, cannot_be_left_from_within) {
  EXPECT_EQ(code_span("a`b|c\\d"), "`aˋbǀc⧵d`");
  EXPECT_EQ(code_span("two\nlines\x1b[2J"), "`two lines?[2J`");
  EXPECT_EQ(code_span("\xE2\x80\xAE"
                      "abc"),
            "`?abc`");
  EXPECT_EQ(code_span(""), "`?`");
  EXPECT_EQ(code_span("   "), "`   ?`");
  EXPECT_EQ(code_span("\xff"), "`\xEF\xBF\xBD`");
  EXPECT_EQ(code_span("µµµ", 2), "`µµ…`");
}

// Turned round, in a terminal's own language (C1), without a width, as a tag: in no text that
// people read. JSON has them: it is for programs.
TEST(Comparison, hidden_marks_show_in_no_surface) {
  for (const std::string mark :
       {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x80\x8F", "\xD8\x9C", "\xC2\x9B", "\xE2\x80\x8B",
        "\xE2\x80\xA8", "\xEF\xBB\xBF", "\xC2\xAD", "\xF3\xA0\x81\x81"}) {
    model::comparison_report report = sample_comparison();
    report.rows[0].name = "row" + mark + "s";
    report.rows[0].reason = "why" + mark;
    report.controls[0].name = "kernel" + mark;
    report.notes = {"note" + mark};
    report.facts = {{"host" + mark, "name" + mark}};
    const auto outcome = model::outcome_of(report);
    for (const std::string& text :
         {comparison_as_text(report, {}), comparison_as_markdown(report),
          comparison_as_junit(report, outcome), comparison_as_html(report, outcome)})
      EXPECT_EQ(text.find(mark), std::string::npos) << text.substr(0, 200);
  }
  // Words of any script, and what belongs to a letter, stay.
  EXPECT_EQ(one_line("\xD7\xA9\xD7\x9C µ≈ é"), "\xD7\xA9\xD7\x9C µ≈ é");
  EXPECT_EQ(one_line("a\x9B"
                     "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Comparison, control_that_was_not_judged_is_not_said_to_stand_still) {
  model::control_line line{
      .name = "kernel", .pairs = 2, .unjudged = "2 pairs cannot tell; 6 could"};
  EXPECT_EQ(control_words(line), "kernel, 2 pairs, not judged: 2 pairs cannot tell; 6 could");
  line.unjudged.clear();
  EXPECT_EQ(control_words(line), "kernel, 2 pairs, stands still");
}

// Pieces that mean something somewhere, in every order of two, as name, reason, unit and fact.
std::vector<std::string> hostile_names() {
  const std::vector<std::string> pieces{"|",          "\n",    "\r\n",   "`",     "``` ",
                                        "@team",      "<img>", "](http", "#123",  "www.x.y",
                                        "</details>", "\\|",   "**",     "<!-- ", "a@b.c"};
  std::vector<std::string> names;
  for (const std::string& one : pieces)
    for (const std::string& other : pieces) names.push_back("n" + one + other + "m");
  return names;
}

// What is left of a line when its code spans are taken out.
std::string outside_of_spans(const std::string& line) {
  std::string out;
  bool is_inside = false;
  for (const char c : line) {
    if (c == '`') is_inside = !is_inside;
    if (!is_inside && c != '`') out += c;
  }
  EXPECT_FALSE(is_inside) << "a span without an end: " << line;
  return out;
}

TEST(Comparison, hostile_names_stay_text) {
  const auto names = hostile_names();
  ASSERT_GE(names.size(), 200U);
  for (const std::string& name : names) {
    model::comparison_report report;
    report.is_paired = true;
    report.rows = {changed_row(name, row_state::regressed, 0.4),
                   changed_row("b", row_state::errored, 0.1)};
    report.rows[0].unit = name;
    report.rows[1].reason = "head: " + name;
    report.notes = {name};
    report.facts = {{name, name}};
    std::size_t rows = 0;
    for (const std::string& line : lines_of(comparison_as_markdown(report))) {
      const std::string bare = outside_of_spans(line);
      if (line.starts_with("| ")) {
        ++rows;
        EXPECT_EQ(std::count(bare.begin(), bare.end(), '|'), 9) << line;
      }
      EXPECT_THAT(bare, Not(testing::AnyOf(HasSubstr("@"), HasSubstr("#1"), HasSubstr("<img"),
                                           HasSubstr("](http"), HasSubstr("www."))))
          << line;
    }
    // Two tables of a head, a rule and a row each.
    EXPECT_EQ(rows, 6U) << name;
  }
}

TEST(Comparison, hostile_names_do_not_move_the_terminal) {
  auto report = sample_comparison();
  report.rows[0].name = "a\x1b[2J\nregressed  fake";
  report.facts = {{"x", "y\x07\x1b]0;title"}};
  const std::string text = comparison_as_text(report);
  for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  EXPECT_EQ(lines_of(text).size(), lines_of(comparison_as_text(sample_comparison())).size() - 1);
}

TEST(ComparisonJunit, states_are_failures_errors_and_skips) {
  const auto report = sample_comparison();
  const std::string xml = comparison_as_junit(report, model::outcome_of(report));
  // Failures: four regressed rows. Errors: the crashed one. Skipped: removed, not comparable,
  // inconclusive.
  EXPECT_EQ(count_of(xml, "tests=\"12\" failures=\"4\" errors=\"1\""), 2U) << xml;
  EXPECT_EQ(count_of(xml, "skipped=\"3\""), 1U) << xml;
  EXPECT_EQ(count_of(xml, "<failure "), 4U);
  EXPECT_THAT(xml, HasSubstr("name=\"outcome\" value=\"could not measure\""));
  const std::string doubtful =
      comparison_as_junit(doubtful_comparison(), model::outcome::could_not_measure);
  // Only the exact row is adjudicated; the run itself, three advisory rows and the crashed one are
  // errors.
  EXPECT_EQ(count_of(doubtful, "failures=\"1\" errors=\"5\""), 2U) << doubtful;
}

// A count that head lost, a row that was not followed up, a strict run: all of their rows are
// skips.
TEST(ComparisonJunit, is_never_green_where_the_exit_code_is_not) {
  model::comparison_report report;
  report.rows.push_back({.name = "gone", .state = row_state::removed, .is_exact = true});
  report.rows.push_back({.name = "same", .state = row_state::unchanged});
  const model::outcome outcome = model::outcome_of(report);
  ASSERT_EQ(outcome, model::outcome::undecided);
  EXPECT_EQ(count_of(comparison_as_junit(report, outcome), "failures=\"0\" errors=\"1\""), 2U);
  EXPECT_EQ(count_of(comparison_as_junit(report, model::outcome::clean), "errors=\"0\""), 2U);
}

TEST(ComparisonJunit, hostile_names_are_text) {
  auto report = sample_comparison();
  report.rows[0].name = "\"/><script>\x01\xff&";
  const std::string xml = comparison_as_junit(report, model::outcome::found);
  EXPECT_EQ(xml.find("<script>"), std::string::npos);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
  EXPECT_EQ(count_of(xml, "<testcase "), 12U);
}

TEST(Comparison, json_of_hostile_names_is_json) {
  auto report = sample_comparison();
  report.rows[0].name = "\xff\"\\\x01";
  const auto document = nlohmann::json::parse(comparison_as_json(report, model::outcome::found));
  EXPECT_EQ(document["rows"][0]["name"], "\xEF\xBF\xBD\"\\\x01");
}

}  // namespace
}  // namespace assay::reports
