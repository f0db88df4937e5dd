// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A table that its reader can sort and filter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reports {

enum class cell_kind : std::uint8_t { text, number, name, note, state };

struct html_column {
  std::string heading;
  cell_kind kind = cell_kind::text;
};

struct html_cell {
  std::string html;  ///< foreign text in it went through html_escaped()
  /// What a number is sorted by: without one its place is after all that have one. Text is sorted
  /// as it reads.
  std::optional<double> sort_value{};
};

enum class row_tone : std::uint8_t { plain, bad, good, doubt, calm };

/// Rows are given one by one, in the order in which they stand at first.
class html_table {
 public:
  /// `id` is ours: a word that no other table of the page has.
  html_table(std::string id, std::vector<html_column> columns);

  /// As many cells as columns. `group` is what the row can be filtered by; text.
  void add(row_tone tone, std::string_view group, const std::vector<html_cell>& cells);

  /// Tools and table.
  std::string render() const;

 private:
  std::string head() const;
  std::string tools() const;

  std::string id_;
  std::vector<html_column> columns_;
  std::vector<std::string> groups_;  // in order of appearance, each once
  std::string rows_;
};

}  // namespace assay::reports
