// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/document_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/text/columns.h"
#include "reports/wording/audit_words.h"

namespace assay::reports {
namespace {

std::string_view colour_of(word_tone tone) {
  switch (tone) {
    case word_tone::bad:
      return "\x1b[31m";
    case word_tone::good:
      return "\x1b[32m";
    case word_tone::doubt:
      return "\x1b[33m";
    case word_tone::calm:
      return "\x1b[2m";
    case word_tone::plain:
      break;
  }
  return {};
}

class printout {
 public:
  explicit printout(bool is_coloured) : is_coloured_(is_coloured) {}

  void line(std::string text, std::string_view colour = {}) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out_ +=
        is_coloured_ && !colour.empty() ? fmt::format("{}{}\x1b[0m\n", colour, text) : text + "\n";
  }

  void heading(std::string_view title) {
    line("");
    line(std::string(title), "\x1b[1m");
  }

  void table(const word_table& table) {
    heading(table.title);
    for (const std::string& note : table.notes) line("  " + one_line(note));
    if (table.rows.empty()) return line("  " + one_line(table.absence));
    std::vector<std::size_t> widths;
    for (const word_column& each : table.columns) widths.push_back(columns(each.heading));
    for (const word_row& row : table.rows)
      for (std::size_t at = 0; at < row.cells.size(); ++at)
        widths[at] = std::max(widths[at], columns(one_line(row.cells[at].text)));
    std::vector<word_cell> heads;
    for (const word_column& each : table.columns) heads.push_back({each.heading});
    line(row_of(table, heads, widths));
    for (const word_row& row : table.rows)
      line(row_of(table, row.cells, widths), colour_of(row.tone));
  }

  std::string take() { return std::move(out_); }

 private:
  static std::string row_of(const word_table& table, const std::vector<word_cell>& cells,
                            const std::vector<std::size_t>& widths) {
    std::string out;
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const std::string text = one_line(cells[at].text);
      out += "  ";
      out += table.columns[at].is_number ? pad_left(text, widths[at]) : pad_right(text, widths[at]);
    }
    return out;
  }

  bool is_coloured_;
  std::string out_;
};

}  // namespace

std::string document_as_text(const word_document& document, bool is_coloured) {
  printout to(is_coloured);
  bool is_first = true;
  for (const std::string& each : document.headline) {
    const bool is_warning = is_first && document.is_warning;
    to.line(one_line(each), is_warning ? "\x1b[31m" : is_first ? "\x1b[1m" : "");
    is_first = false;
  }
  for (const word_table& table : document.tables) to.table(table);
  to.heading("What this report cannot tell");
  for (const std::string& each : document.blind_spots) to.line("  " + one_line(each));
  return to.take();
}

}  // namespace assay::reports
