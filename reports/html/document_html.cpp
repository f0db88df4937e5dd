// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/document_html.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "reports/html/page.h"
#include "reports/html/table.h"

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

// The table itself has the bare id.
std::string id_of(const word_table& table) {
  return "section-" + table.id;
}

constexpr const char* blind_spots_heading = "What this report cannot tell";
constexpr const char* blind_spots_id = "section-blind-spots";

std::string contents_of(const word_document& document) {
  std::vector<std::pair<std::string, std::string>> sections;
  for (const word_table& table : document.tables) sections.emplace_back(id_of(table), table.title);
  if (!document.blind_spots.empty()) sections.emplace_back(blind_spots_id, blind_spots_heading);
  return html_contents(sections);
}

// `chart` stands between what is said of a table and the table.
std::string section_of(const word_table& table, const std::string& chart) {
  std::string content;
  for (const std::string& note : table.notes)
    content += fmt::format("<p>{}</p>\n", html_escaped(note));
  content += chart;
  if (table.rows.empty()) {
    content += fmt::format("<p>{}</p>\n", html_escaped(table.absence));
    return html_section(table.title, content, id_of(table));
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
  return html_section(table.title, content, id_of(table));
}

}  // namespace

std::string document_as_html(const word_document& document, std::string_view opening,
                             const std::map<std::string, std::string>& charts) {
  std::string body;
  bool is_first = true;
  for (const std::string& each : document.headline) {
    if (is_first && document.is_warning)
      body += html_notice(notice_tone::warning, each);
    else
      body += fmt::format("<p{}>{}</p>\n", is_first ? " class=\"lead\"" : "", html_escaped(each));
    is_first = false;
  }
  body += contents_of(document);
  body += opening;
  for (const word_table& table : document.tables) {
    const auto chart = charts.find(table.id);
    body += section_of(table, chart == charts.end() ? std::string() : chart->second);
  }
  body += html_section(blind_spots_heading, html_list(document.blind_spots), blind_spots_id);
  return html_page(document.title, body, page_content::charts);
}

}  // namespace assay::reports
