// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "runtime/telemetry/check.h"

namespace assay::reports {
namespace {

std::string_view class_of(cell_kind kind) {
  switch (kind) {
    case cell_kind::number:
      return "number";
    case cell_kind::name:
      return "name";
    case cell_kind::note:
      return "note";
    case cell_kind::state:
      return "state";
    case cell_kind::text:
      break;
  }
  return "text";
}

std::string_view class_of(row_tone tone) {
  switch (tone) {
    case row_tone::bad:
      return "bad";
    case row_tone::good:
      return "good";
    case row_tone::doubt:
      return "doubt";
    case row_tone::calm:
      return "calm";
    case row_tone::plain:
      break;
  }
  return "plain";
}

std::string sort_attribute(const html_column& column, const html_cell& cell) {
  if (column.kind != cell_kind::number) return {};
  if (!cell.sort_value || !std::isfinite(*cell.sort_value)) return " data-sort=\"\"";
  return fmt::format(" data-sort=\"{:.9g}\"", *cell.sort_value);
}

}  // namespace

html_table::html_table(std::string id, std::vector<html_column> columns)
    : id_(std::move(id)), columns_(std::move(columns)) {}

void html_table::add(row_tone tone, std::string_view group, const std::vector<html_cell>& cells) {
  ASSAY_CHECK(cells.size() == columns_.size(), "a row of another table");
  if (std::find(groups_.begin(), groups_.end(), group) == groups_.end())
    groups_.emplace_back(group);
  rows_ += fmt::format("<tr class=\"{}\" data-group=\"{}\">", class_of(tone), html_escaped(group));
  for (std::size_t at = 0; at < cells.size(); ++at)
    // A card on a telephone leaves out the fields that have nothing.
    rows_ +=
        fmt::format("<td class=\"{}{}\" data-label=\"{}\"{}>{}</td>", class_of(columns_[at].kind),
                    cells[at].html == "-" ? " none" : "", html_escaped(columns_[at].heading),
                    sort_attribute(columns_[at], cells[at]), cells[at].html);
  rows_ += "</tr>\n";
}

std::string html_table::head() const {
  std::string out = "<thead><tr>";
  for (const html_column& each : columns_)
    out += fmt::format("<th scope=\"col\" class=\"{}\"><button type=\"button\">{}</button></th>",
                       class_of(each.kind), html_escaped(each.heading));
  return out + "</tr></thead>\n";
}

// Hidden where there is no script that would serve them.
std::string html_table::tools() const {
  std::string out = fmt::format(
      "<div class=\"tools\" data-for=\"{}\" hidden><input type=\"search\" placeholder=\"filter\" "
      "aria-label=\"filter rows by text\"><select aria-label=\"filter rows by state\"><option "
      "value=\"\">all</option>",
      id_);
  for (const std::string& each : groups_)
    out += fmt::format("<option value=\"{0}\">{0}</option>", html_escaped(each));
  return out + "</select><output></output></div>\n";
}

std::string html_table::render() const {
  return fmt::format(
      "{}<div class=\"scroll\"><table class=\"sortable\" id=\"{}\">\n{}<tbody>\n{}</tbody></table>"
      "</div>\n",
      tools(), id_, head(), rows_);
}

}  // namespace assay::reports
