// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/hyperfine.h"

#include <fmt/format.h>

#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/row_book.h"
#include "harness/ingest/statistic.h"

namespace assay::ingest {
namespace {

// null is a run that a signal ended.
result<std::size_t> failed_runs(const json_cursor& row) {
  const auto codes = row.find("exit_codes");
  if (!codes) return 0;
  ASSAY_TRY_ASSIGN(const auto all, codes->elements());
  std::size_t failed = 0;
  for (const json_cursor& each : all) failed += each.value() != 0;
  return failed;
}

result<void> read_row(const json_cursor& row, row_book& book) {
  ASSAY_TRY_ASSIGN(const json_cursor name_at, row.at("command"));
  ASSAY_TRY_ASSIGN(const std::string name, name_at.text());
  if (name.empty()) return name_at.refuse("is empty");
  std::vector<double> times;
  if (const auto list = row.find("times")) {
    ASSAY_TRY_ASSIGN(times, list->numbers());
  }
  const bool is_median = times.empty();
  if (is_median) {
    ASSAY_TRY_ASSIGN(const json_cursor median, row.at("median"));
    ASSAY_TRY_ASSIGN(const double value, median.number());
    times = {value};
  }
  ASSAY_TRY_ASSIGN(const std::size_t failed, failed_runs(row));
  model::sample_row& out = book.row(name, "wall_time");
  const double factor = book.scale(out, "s");
  row_book::state_statistic(out, is_median ? median_of_summary : each_run);
  const std::size_t before = out.iteration_count;
  for (std::size_t i = 0; i < times.size(); ++i) book.measure(out, before + i, times[i] * factor);
  if (failed > 0)
    row_book::fail(out, fmt::format("{} of {} runs did not end well", failed, times.size()));
  for (const auto& [key, value] : row.value().items())
    if (key == "parameters" || key == "memory_usage_byte" || key == "user" || key == "system")
      out.kept.push_back(
          {key, value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
  return {};
}

}  // namespace

result<model::sample_set> parse_hyperfine(std::string_view text, std::string_view file,
                                          std::string_view) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(text, file));
  const json_cursor root(tree, file);
  ASSAY_TRY_ASSIGN(const json_cursor list, root.at("results"));
  ASSAY_TRY_ASSIGN(const auto rows, list.elements());
  if (rows.empty()) return list.refuse("is empty: nothing was measured");
  row_book book;
  for (const json_cursor& row : rows) ASSAY_TRY(read_row(row, book));
  model::sample_set set;
  set.source = file;
  set.format = "hyperfine JSON";
  set.rows = std::move(book).finish();
  return set;
}

}  // namespace assay::ingest
