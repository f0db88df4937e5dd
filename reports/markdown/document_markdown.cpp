// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/document_markdown.h"

#include <fmt/format.h>

#include "reports/markdown/escape.h"

namespace assay::reports {
namespace {

std::string table_of(const word_table& table) {
  std::string out = fmt::format("\n## {}\n\n", markdown_escaped(table.title));
  for (const std::string& note : table.notes) out += markdown_escaped(note) + "\n\n";
  if (table.rows.empty()) return out + markdown_escaped(table.absence) + "\n";
  out += '|';
  for (const word_column& each : table.columns)
    out += fmt::format(" {} |", markdown_escaped(each.heading));
  out += "\n|";
  for (const word_column& each : table.columns) out += each.is_number ? " ---: |" : " --- |";
  out += '\n';
  for (const word_row& row : table.rows) {
    out += '|';
    for (const word_cell& cell : row.cells)
      out += fmt::format(" {} |", markdown_escaped(cell.text));
    out += '\n';
  }
  return out;
}

}  // namespace

std::string document_as_markdown(const word_document& document) {
  std::string out = fmt::format("# {}\n\n", markdown_escaped(document.title));
  bool is_first = true;
  for (const std::string& each : document.headline) {
    const bool is_warning = is_first && document.is_warning;
    out += is_warning ? fmt::format("**{}**\n\n", markdown_escaped(each))
                      : fmt::format("{}\n\n", markdown_escaped(each));
    is_first = false;
  }
  out.pop_back();
  for (const word_table& table : document.tables) out += table_of(table);
  out += "\n## What this report cannot tell\n\n";
  for (const std::string& each : document.blind_spots)
    out += fmt::format("- {}\n", markdown_escaped(each));
  return out;
}

}  // namespace assay::reports
