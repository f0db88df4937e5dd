// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/paired_comparison.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/controls.h"
#include "harness/compare/row_decision.h"
#include "harness/compare/suspicion.h"

namespace assay::compare {
namespace {

std::string moved_words(const std::vector<model::control_line>& controls) {
  std::string names;
  for (const model::control_line& each : controls)
    if (each.has_moved) names += (names.empty() ? "" : ", ") + each.name;
  return names.empty() ? names : "what cannot have changed has moved: " + names;
}

std::size_t open_rows(const std::vector<model::comparison_row>& rows) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const auto& row) {
    return row.state == model::row_state::inconclusive;
  }));
}

std::vector<std::string> blind_spots(const std::vector<paired_row>& rows,
                                     const model::comparison_report& report) {
  std::vector<std::string> spots;
  spots.emplace_back("a change within a row's margin");
  const auto unjudged = static_cast<std::size_t>(
      std::count_if(report.controls.begin(), report.controls.end(),
                    [](const auto& line) { return !line.unjudged.empty(); }));
  if (unjudged > 0)
    spots.push_back(fmt::format(
        "whether the machine itself moved, as far as {} of {} controls would tell: not judged",
        unjudged, report.controls.size()));
  spots.emplace_back(
      "what one layout of the code did: each side was linked once, and a move of the code by "
      "itself "
      "shifts times");
  if (std::none_of(rows.begin(), rows.end(), [](const auto& row) { return row.is_exact; }))
    spots.emplace_back("bytes, launches, allocations and results: no exact count was compared");
  if (const std::size_t open = open_rows(report.rows); open > 0)
    spots.push_back(fmt::format("anything of the rows that stayed inconclusive ({} of {})", open,
                                report.rows.size()));
  return spots;
}

}  // namespace

model::comparison_report judge_pairs(const std::vector<paired_row>& rows,
                                     const decision_rules& rules) {
  null_cache nulls;
  model::comparison_report report;
  report.is_paired = true;
  report.rows = decide_rows(rows, rules, nulls);
  report.controls = judge_controls(rows, rules, nulls);
  report.contamination = moved_words(report.controls);
  if (report.contamination.empty()) report.contamination = implausible_gain(report.rows);
  report.is_contaminated = !report.contamination.empty();
  if (report.is_contaminated) withdraw_findings(report.rows, report.contamination);
  for (std::string lost : {mostly_missing(report.rows), too_few_pairs(report.rows)})
    if (!lost.empty() && report.is_complete) {
      report.is_complete = false;
      report.incompleteness = std::move(lost);
    }
  report.blind_spots = blind_spots(rows, report);
  return report;
}

std::vector<std::size_t> rows_to_confirm(const std::vector<paired_row>& rows,
                                         const decision_rules& rules) {
  null_cache nulls;
  std::vector<std::size_t> chosen;
  bool is_any = false;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const bool is_in = screened(rows[at], rules, nulls).passes();
    is_any = is_any || is_in;
    if (is_in || rows[at].is_control) chosen.push_back(at);
  }
  return is_any ? chosen : std::vector<std::size_t>();
}

}  // namespace assay::compare
