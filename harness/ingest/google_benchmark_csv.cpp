// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/csv_text.h"
#include "harness/ingest/google_benchmark.h"
#include "harness/ingest/google_benchmark_rows.h"
#include "harness/ingest/json_text.h"

namespace assay::ingest {
namespace {

constexpr std::string_view how_to_write = "write it with --benchmark_out_format=csv";

// What a column is: a field of the row, or something that is kept as it is.
class columns {
 public:
  explicit columns(std::vector<std::string> header) : header_(std::move(header)) {}
  std::size_t size() const { return header_.size(); }

  /// The place of a cell that is no number although it must be; none where the row is well formed.
  std::optional<std::string> take(const std::vector<std::string>& cells, std::string_view metric,
                                  google_benchmark_row& row) const {
    row.clear();
    for (std::size_t at = 0; at < cells.size(); ++at)
      if (!take_cell(header_[at], cells[at], metric, row)) return header_[at];
    row.is_fit = row.name.ends_with("_BigO") || row.name.ends_with("_RMS");
    return std::nullopt;
  }

 private:
  static bool take_cell(const std::string& name, const std::string& cell, std::string_view metric,
                        google_benchmark_row& row) {
    if (cell.empty()) return true;
    if (name == "name") return (row.name = cell, true);
    if (name == "time_unit") return (row.time_unit = cell, true);
    if (name == "error_message") return (row.error_message = cell, true);
    if (name == "error_occurred") return (row.is_errored = cell == "true", true);
    if (name == "iterations") return true;
    const bool is_needed = name == "real_time" || name == "cpu_time" || name == metric;
    const auto value = number_in(std::string_view(cell));
    if (is_needed && !value) return false;
    if (name == "real_time") row.real_time = value;
    if (name == "cpu_time") row.cpu_time = value;
    if (name == metric) row.wanted = value;
    if (name != "real_time" && name != "cpu_time") row.kept.push_back({name, cell});
    return true;
  }

  std::vector<std::string> header_;
};

}  // namespace

result<model::sample_set> parse_google_benchmark_csv(std::string_view text, std::string_view file,
                                                     std::string_view metric) {
  csv_reader lines(text);
  std::optional<columns> header;
  google_benchmark_rows rows(metric);
  google_benchmark_row row;
  std::unordered_map<std::string, std::uint64_t> lines_of;
  while (auto cells = lines.next()) {
    if (!header) {
      if (cells->size() >= 5 && cells->front() == "name" && (*cells)[1] == "iterations")
        header.emplace(std::move(*cells));
      continue;
    }
    if (cells->size() == 1 && cells->front().empty()) continue;
    const std::string where = fmt::format("line {}", lines.line());
    if (cells->size() != header->size())
      return refused(file, where,
                     fmt::format("has {} cells, and the header {}", cells->size(), header->size()),
                     "have the benchmark write it again");
    if (const auto wrong = header->take(*cells, metric, row))
      return refused(file, where + ", " + *wrong, "is no number", how_to_write);
    if (row.name.empty()) return refused(file, where + ", name", "is empty", how_to_write);
    ++lines_of[row.name];
    rows.add(row);
  }
  if (!header) return refused(file, "", "has no header name,iterations,…", how_to_write);
  if (rows.is_empty())
    return refused(file, "", "has no rows: nothing was measured",
                   "look at what the benchmark printed");
  model::sample_set set;
  set.source = file;
  set.format = "Google Benchmark CSV";
  ASSAY_TRY(std::move(rows).finish(file, set));
  std::uint64_t repeated = 0;
  for (const auto& [name, count] : lines_of) repeated += count > 1 ? count : 0;
  // Of two benchmarks of one name the faster one's time would stand for both.
  if (repeated > 0)
    set.notes.push_back(fmt::format(
        "{} lines have a name that others have too and are taken for repetitions: a CSV "
        "does not tell two benchmarks of one name apart, a JSON does",
        repeated));
  return set;
}

}  // namespace assay::ingest
