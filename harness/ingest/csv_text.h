// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Comma-separated lines, RFC 4180.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::ingest {

/// Reads one record after the other; a quoted field may hold commas, doubled quotes and line
/// breaks.
class csv_reader {
 public:
  explicit csv_reader(std::string_view text) : left_(text) {}

  /// The fields of the next record; none at the end. An unclosed quote runs to the end of the text.
  std::optional<std::vector<std::string>> next();
  /// Line in which the record that next() gave began, from 1.
  std::size_t line() const { return record_line_; }

 private:
  std::string field();

  std::string_view left_;
  std::size_t line_ = 1;
  std::size_t record_line_ = 0;
};

}  // namespace assay::ingest
