// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/junit/comparison_junit.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/junit/xml.h"
#include "reports/model/comparison_outcome.h"
#include "reports/wording/comparison_words.h"

namespace assay::reports {
namespace {

using model::row_state;

struct test_case {
  std::string class_name;
  std::string name;
  std::string_view element;  ///< failure, error, skipped; empty where it passed
  std::string message;
  std::string detail;
};

std::string_view element_of(const model::comparison_row& row) {
  switch (row.state) {
    case row_state::regressed:
      return model::is_adjudicated(row) ? "failure" : "error";
    case row_state::errored:
      return "error";
    case row_state::inconclusive:
    case row_state::removed:
    case row_state::not_comparable:
      return "skipped";
    case row_state::improved:
    case row_state::unchanged:
    case row_state::added:
      break;
  }
  return "";
}

test_case case_of(const model::comparison_row& row) {
  const std::string note = note_of(row);
  return {row.metric.empty() ? "row" : row.metric, row.name, element_of(row),
          fmt::format("{} {}{}{}", to_string(row.state), change_words(row),
                      note.empty() ? "" : "; ", note),
          fmt::format("base {}, head {}, change {} ({}), sees {}\n",
                      value_words(row.base, row.unit), value_words(row.head, row.unit),
                      change_words(row), interval_words(row), visible_words(row))};
}

test_case case_of_run(const model::comparison_report& report) {
  std::string words;
  for (const std::string& line : standing_of(report)) words += line + "\n";
  for (const auto& line : report.controls) words += control_words(line) + "\n";
  const bool is_sound =
      report.is_complete && !report.is_contaminated && !is_nothing_comparable(report);
  return {"run", "is_whole_and_not_contaminated", is_sound ? "" : "error",
          is_sound                 ? std::string()
          : !report.is_complete    ? report.incompleteness
          : report.is_contaminated ? report.contamination
                                   : std::string("nothing is comparable"),
          words};
}

std::string as_xml(const test_case& each) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n",
                                 xml_escaped(each.class_name), xml_escaped(each.name));
  if (!each.element.empty())
    text += fmt::format("      <{} message=\"{}\"/>\n", each.element, xml_escaped(each.message));
  text += fmt::format("      <system-out>{}</system-out>\n", xml_escaped(each.detail));
  return text + "    </testcase>\n";
}

// Who reads nothing but this file must not see a green one where the exit code is none.
void fail_what_is_not_clean(std::vector<test_case>& cases, model::outcome outcome) {
  const bool is_seen = std::any_of(cases.begin(), cases.end(), [](const test_case& each) {
    return each.element == "failure" || each.element == "error";
  });
  if (outcome == model::outcome::clean || is_seen) return;
  cases.front().element = "error";
  cases.front().message =
      fmt::format("{}: rows that are skipped have no verdict", to_string(outcome));
}

}  // namespace

std::string comparison_as_junit(const model::comparison_report& report, model::outcome outcome) {
  std::vector<test_case> cases{case_of_run(report)};
  for (const auto& row : report.rows) cases.push_back(case_of(row));
  fail_what_is_not_clean(cases, outcome);
  const auto count = [&](std::string_view element) {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const test_case& each) { return each.element == element; });
  };
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", cases.size(),
                                         count("failure"), count("error"));
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"assay compare\" {}>\n", counts);
  text += fmt::format("  <testsuite name=\"assay compare\" {} skipped=\"{}\">\n", counts,
                      count("skipped"));
  text += fmt::format(
      "    <properties>\n      <property name=\"outcome\" value=\"{}\"/>\n"
      "      <property name=\"exit_code\" value=\"{}\"/>\n    </properties>\n",
      to_string(outcome), static_cast<int>(outcome));
  for (const test_case& each : cases) text += as_xml(each);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace assay::reports
