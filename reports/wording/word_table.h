// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A table in words, before it takes a form: text, Markdown and HTML then cannot differ in what they
// say.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::reports {

/// How a row is to be seen.
enum class word_tone : unsigned char { plain, bad, good, doubt, calm };

struct word_column {
  std::string heading;
  bool is_number = false;
};

struct word_cell {
  std::string text;  ///< may hold foreign text: each form makes it safe
  /// What a number is sorted by; without one its place is behind all that have one.
  std::optional<double> sort_value{};
};

struct word_row {
  std::vector<word_cell> cells;
  word_tone tone = word_tone::plain;
};

struct word_table {
  std::string id;  ///< a word that no other table of the report has
  std::string title;
  std::vector<std::string> notes;  ///< sentences before the rows
  std::vector<word_column> columns;
  std::vector<word_row> rows;
  std::string absence;  ///< stands in the rows' place where there are none
};

}  // namespace assay::reports
