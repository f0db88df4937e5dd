// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a row of Google Benchmark means, whichever format it came in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/ingest/row_book.h"
#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// A row as it was written. `values` are the numeric keys that are no part of the format, as JSON
/// text: counters, and what a later version adds.
struct google_benchmark_row {
  std::string name;
  std::string run_name;
  std::string run_type;
  std::string aggregate_name;
  std::string time_unit;
  std::string error_message;
  bool is_errored = false;
  bool is_skipped = false;
  bool is_fit = false;  ///< BigO or RMS; of a row that says it is an iteration, a counter's name
  /// Which registered benchmark it is of, where the file says so: two may have one name.
  std::optional<std::uint32_t> family{};
  std::optional<std::uint32_t> instance{};
  std::optional<double> real_time{};
  std::optional<double> cpu_time{};
  std::optional<double> wanted{};  ///< the metric that was asked for, where it is a counter
  std::vector<model::fact> kept{};

  void clear();
};

class google_benchmark_rows {
 public:
  explicit google_benchmark_rows(std::string_view metric) : metric_(metric) {}
  void add(google_benchmark_row& row);
  void expect(std::size_t rows) { book_.expect(rows); }
  bool is_empty() const { return read_ == 0; }
  /// Errors: unusable_input, naming `file`, where there is no row that is not a fit or a spread.
  result<void> finish(std::string_view file, model::sample_set& into) &&;

 private:
  struct centre {
    std::string name;
    std::string time_unit;
    std::optional<double> value;
  };
  void measure(const google_benchmark_row& row, model::sample_row& out);
  std::optional<double> value_of(const google_benchmark_row& row) const;

  using registration = std::pair<std::optional<std::uint32_t>, std::optional<std::uint32_t>>;

  std::string metric_;
  row_book book_;
  std::vector<registration> registrations_;  // of each row of the book
  void take_centres(const std::vector<centre>& centres, std::string_view statistic);
  std::vector<centre> medians_;
  std::vector<centre> means_;
  std::uint64_t from_centres_ = 0;
  std::uint64_t ignored_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t without_metric_ = 0;
};

}  // namespace assay::ingest
