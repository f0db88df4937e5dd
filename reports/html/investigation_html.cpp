// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/investigation_html.h"

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "reports/html/investigation_charts.h"
#include "reports/html/page.h"
#include "reports/html/table.h"
#include "reports/html/time_picture.h"
#include "reports/wording/investigation_words.h"

namespace assay::reports {
namespace {

row_tone tone_of(word_tone tone) {
  switch (tone) {
    case word_tone::bad:
      return row_tone::bad;
    case word_tone::good:
      return row_tone::good;
    case word_tone::doubt:
      return row_tone::doubt;
    case word_tone::calm:
      return row_tone::calm;
    case word_tone::plain:
      break;
  }
  return row_tone::plain;
}

// `chart` stands between what is said of a table and the table.
std::string section_of(const word_table& table, const std::string& chart) {
  std::string content;
  for (const std::string& note : table.notes)
    content += fmt::format("<p>{}</p>\n", html_escaped(note));
  content += chart;
  if (table.rows.empty()) {
    content += fmt::format("<p>{}</p>\n", html_escaped(table.absence));
    return html_section(table.title, content);
  }
  std::vector<html_column> columns;
  for (const word_column& each : table.columns)
    columns.push_back({each.heading, each.is_number    ? cell_kind::number
                                     : columns.empty() ? cell_kind::state
                                                       : cell_kind::text});
  html_table made(table.id, std::move(columns));
  for (const word_row& row : table.rows) {
    std::vector<html_cell> cells;
    for (const word_cell& cell : row.cells)
      cells.push_back({html_escaped(cell.text), cell.sort_value});
    made.add(tone_of(row.tone), row.cells.front().text, cells);
  }
  content += made.render();
  return html_section(table.title, content);
}

std::string chart_for(const word_table& table, const model::investigation& report) {
  if (table.id == "slowest") return steps_chart(report);
  if (table.id == "levels") return levels_chart(report);
  if (table.id == "flows") return flows_chart(report);
  if (table.id == "deviations") return deviations_chart(report);
  return {};
}

}  // namespace

std::string investigation_as_html(const model::investigation& report) {
  std::string body;
  bool is_first = true;
  for (const std::string& each : investigation_headline(report)) {
    if (is_first && is_headline_warning(report))
      body += html_notice(notice_tone::warning, each);
    else
      body += fmt::format("<p{}>{}</p>\n", is_first ? " class=\"lead\"" : "", html_escaped(each));
    is_first = false;
  }
  if (report.decode.passes > 0)
    body += html_section("A decode step, on average", time_picture(report.decode));
  for (const word_table& table : investigation_tables(report))
    body += section_of(table, chart_for(table, report));
  body += html_section("What this report cannot tell", html_list(report.blind_spots));
  return html_page("Investigation", body, page_content::charts);
}

}  // namespace assay::reports
