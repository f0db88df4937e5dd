// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/google_benchmark_rows.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"

namespace assay::ingest {
namespace {

// Of files from before run_type was written; only there does a suffix mean anything.
constexpr std::array<std::string_view, 6> aggregate_suffixes{"_mean", "_median", "_stddev",
                                                             "_cv",   "_BigO",   "_RMS"};

std::string_view old_aggregate(std::string_view name) {
  for (const std::string_view suffix : aggregate_suffixes)
    if (name.ends_with(suffix)) return suffix.substr(1);
  return {};
}

bool is_time(std::string_view metric) {
  return metric == "real_time" || metric == "cpu_time";
}

std::string_view unit_of_counter(std::string_view metric) {
  if (metric == "bytes_per_second") return "B/s";
  if (metric == "items_per_second") return "items/s";
  return "";
}

}  // namespace

void google_benchmark_row::clear() {
  for (std::string* text :
       {&name, &run_name, &run_type, &aggregate_name, &time_unit, &error_message})
    text->clear();
  is_errored = is_skipped = is_fit = false;
  real_time = cpu_time = wanted = std::nullopt;
  kept.clear();
}

std::optional<double> google_benchmark_rows::value_of(const google_benchmark_row& row) const {
  if (metric_ == "real_time") return row.real_time;
  if (metric_ == "cpu_time") return row.cpu_time;
  return row.wanted;
}

void google_benchmark_rows::add(google_benchmark_row& row) {
  ++read_;
  const std::string_view name = row.run_name.empty() ? row.name : row.run_name;
  std::string_view aggregate = row.aggregate_name;
  if (row.run_type.empty() && aggregate.empty()) aggregate = old_aggregate(row.name);
  const bool is_failed = row.is_errored || row.is_skipped;
  if (!is_failed && (row.is_fit || row.run_type == "aggregate" || !aggregate.empty())) {
    ++ignored_;
    std::string_view of = name;
    if (row.run_name.empty() && of.ends_with("_median")) of.remove_suffix(7);
    if (aggregate == "median") medians_.push_back({std::string(of), row.time_unit, value_of(row)});
    return;
  }
  model::sample_row& out = book_.row(name, metric_);
  measure(row, out);
  if (out.kept.empty()) out.kept = std::move(row.kept);
}

void google_benchmark_rows::measure(const google_benchmark_row& row, model::sample_row& out) {
  if (row.is_errored || row.is_skipped) {
    const std::string_view what = row.is_errored ? "errored" : "skipped";
    return row_book::fail(out, row.error_message.empty()
                                   ? std::string(what)
                                   : fmt::format("{}: {}", what, printable(row.error_message)));
  }
  const auto value = value_of(row);
  if (!value) {
    ++without_metric_;
    return row_book::fail(out, fmt::format("has no {}", printable(metric_)));
  }
  if (is_time(metric_) && row.time_unit.empty())
    return row_book::fail(out, "has no time_unit: the number could be anything");
  const double factor = book_.scale(
      out, is_time(metric_) ? std::string_view(row.time_unit) : unit_of_counter(metric_));
  book_.measure(out, 0, *value * factor);
}

void google_benchmark_rows::finish(model::sample_set& into) && {
  std::size_t from_medians = 0;
  const std::size_t measured = book_.size();
  for (const median_aggregate& each : medians_) {
    // A new row is one that no repetition has made.
    model::sample_row& row = book_.row(each.name, metric_);
    if (book_.size() <= measured + from_medians) continue;
    ++from_medians;
    --ignored_;
    if (!each.value) {
      row_book::fail(row, fmt::format("has no {}", printable(metric_)));
      continue;
    }
    const double factor = book_.scale(
        row, is_time(metric_) ? std::string_view(each.time_unit) : unit_of_counter(metric_));
    book_.measure(row, 0, *each.value * factor);
  }
  into.rows = std::move(book_).finish();
  into.ignored_row_count = ignored_;
  if (ignored_ > 0)
    into.notes.push_back(fmt::format("{} aggregates and fits were left out", ignored_));
  if (from_medians > 0)
    into.notes.push_back(fmt::format(
        "{} benchmarks have no repetitions in the file, only aggregates: their median was taken",
        from_medians));
}

}  // namespace assay::ingest
