// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Rows as a file names them, one line at a time, until each is one number a process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/model/sample_set.h"

namespace assay::ingest {

/// Collects what one process, or several, measured. Reading the same name again adds to its row.
class row_book {
 public:
  /// Room for so many rows: each time a table of 50 MB moves, its pages are touched anew.
  void expect(std::size_t rows);

  /// The row of that name and metric; made where it is new.
  model::sample_row& row(std::string_view name, std::string_view metric);

  /// Sets the row's unit and direction, and gives the factor into it. A row that is given two units
  /// fails.
  double scale(model::sample_row& row, std::string_view written_unit);

  /// One measurement, in the row's unit, of `process`. Where it is not finite, or is 0 or less and
  /// the unit has no such values, the row fails.
  void measure(model::sample_row& row, std::size_t process, double value);

  /// What the row's number is. A row that is given two of them fails.
  static void state_statistic(model::sample_row& row, std::string_view what);

  /// The first failure stays.
  static void fail(model::sample_row& row, std::string why);

  /// Each process of a row becomes its best measurement (the least time, the highest rate), or the
  /// median where which way is better is unknown. A row without a number and without a reason gets
  /// one.
  std::vector<model::sample_row> finish() &&;

  std::size_t size() const { return rows_.size(); }
  /// Rows have the places in which they were made.
  std::size_t place_of(const model::sample_row& row) const {
    return static_cast<std::size_t>(&row - rows_.data());
  }

 private:
  struct measurement {
    std::size_t row;
    std::size_t process;
    double value;
  };
  std::vector<model::sample_row> rows_;
  std::vector<measurement> measurements_;
  std::unordered_map<std::string, std::size_t> known_;
};

}  // namespace assay::ingest
