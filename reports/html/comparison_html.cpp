// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/comparison_html.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "reports/html/interval_plot.h"
#include "reports/html/page.h"
#include "reports/html/table.h"
#include "reports/wording/comparison_words.h"
#include "reports/wording/coverage_words.h"

namespace assay::reports {
namespace {

using model::row_state;

row_tone tone_of(const model::comparison_row& row) {
  switch (row.state) {
    case row_state::regressed:
    case row_state::errored:
      return row.is_advisory && row.state == row_state::regressed && !row.is_exact ? row_tone::doubt
                                                                                   : row_tone::bad;
    case row_state::improved:
      return row.is_advisory && !row.is_exact ? row_tone::doubt : row_tone::good;
    case row_state::unchanged:
      return row_tone::calm;
    default:
      return row_tone::doubt;
  }
}

std::optional<double> number_of(const model::quantity& value) {
  if (!value.is_present) return std::nullopt;
  return value.is_real ? value.real : static_cast<double>(value.integer);
}

std::string rows_table(const model::comparison_report& report) {
  html_table table("rows", {{"state", cell_kind::state},
                            {"row", cell_kind::name},
                            {"base", cell_kind::number},
                            {"head", cell_kind::number},
                            {"change", cell_kind::number},
                            {"plot", cell_kind::text},
                            {interval_heading(report), cell_kind::number},
                            {"sees", cell_kind::number},
                            {"note", cell_kind::note}});
  const bool is_metric_wanted = has_several_metrics(report);
  const double reach_ln = plot_reach_ln(report.rows);
  for (const model::comparison_row* row : most_urgent_first(report)) {
    const std::string state(to_string(row->state));
    const auto width = row->interval
                           ? std::optional(row->interval->high_ratio - row->interval->low_ratio)
                           : std::nullopt;
    table.add(tone_of(*row), state,
              {{fmt::format("{}{}", flag_of(*row), state)},
               {html_escaped(row_name(*row, is_metric_wanted))},
               {html_escaped(value_words(row->base, row->unit)), number_of(row->base)},
               {html_escaped(value_words(row->head, row->unit)), number_of(row->head)},
               {html_escaped(change_words(*row)), row->change_ratio},
               {interval_plot(*row, reach_ln)},
               {html_escaped(interval_words(*row)), width},
               {html_escaped(visible_words(*row)), row->visible_ratio},
               {html_escaped(note_of(*row))}});
  }
  return table.render();
}

std::string coverage_section(const model::coverage_table& table) {
  std::vector<html_column> columns;
  for (const char* each : coverage_headings) columns.push_back({each, cell_kind::text});
  html_table html("coverage", std::move(columns));
  for (const coverage_cells& cells : coverage_rows(table)) {
    std::vector<html_cell> row;
    for (const std::string& each : cells) row.push_back({html_escaped(each), {}});
    html.add(row_tone::plain, "flag", row);
  }
  return html_section("Coverage", html.render()) +
         (table.losses.empty()
              ? std::string()
              : html_section("Files that lost coverage", html_list(coverage_losses(table))));
}

std::string facts_list(const std::vector<model::fact>& facts) {
  std::string out = "<dl>\n";
  for (const model::fact& each : facts)
    out +=
        fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(each.name), html_escaped(each.value));
  return out + "</dl>\n";
}

// Rows without a number, so that what is missing is not merely not there.
std::vector<std::string> unmeasured(const model::comparison_report& report) {
  std::vector<std::string> lines;
  const bool is_metric_wanted = has_several_metrics(report);
  for (const model::comparison_row& row : report.rows)
    if (row.state == row_state::errored || row.state == row_state::removed ||
        row.state == row_state::added)
      lines.push_back(fmt::format("{}: {}{}{}", row_name(row, is_metric_wanted),
                                  to_string(row.state), row.reason.empty() ? "" : ": ",
                                  row.reason));
  return lines;
}

}  // namespace

std::string comparison_as_html(const model::comparison_report& report, model::outcome outcome) {
  std::string body = fmt::format("<p class=\"lead\">{}</p>\n<p>Outcome: {} (exit code {})</p>\n",
                                 html_escaped(comparison_headline(report)), to_string(outcome),
                                 static_cast<int>(outcome));
  const bool is_doubtful = report.is_contaminated || !report.is_complete || !report.is_paired;
  for (const std::string& line : standing_of(report))
    body += html_notice(is_doubtful ? notice_tone::warning : notice_tone::calm, line);
  if (!report.rows.empty()) body += html_section("Rows", rows_table(report));
  if (report.coverage) body += coverage_section(*report.coverage);
  const auto section = [&body](std::string_view heading, const std::vector<std::string>& lines) {
    if (!lines.empty()) body += html_section(heading, html_list(lines));
  };
  section("Not measured", unmeasured(report));
  std::vector<std::string> controls;
  for (const model::control_line& line : report.controls) controls.push_back(control_words(line));
  section("Controls", controls);
  section("Notes", report.notes);
  section("What this run cannot have seen", report.blind_spots);
  if (!report.facts.empty()) body += html_section("The run", facts_list(report.facts));
  return html_page("Comparison of base and head", body);
}

}  // namespace assay::reports
