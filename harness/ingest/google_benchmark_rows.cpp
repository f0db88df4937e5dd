// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/google_benchmark_rows.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/statistic.h"

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
  family = instance = std::nullopt;
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
  const bool is_fit = row.is_fit && row.run_type != "iteration";
  if (!is_failed && (is_fit || row.run_type == "aggregate" || !aggregate.empty())) {
    ++ignored_;
    std::string_view of = name;
    if (row.run_name.empty() && of.ends_with(aggregate))
      of.remove_suffix(std::min(of.size(), aggregate.size() + 1));
    if (aggregate == "median") medians_.push_back({std::string(of), row.time_unit, value_of(row)});
    if (aggregate == "mean") means_.push_back({std::string(of), row.time_unit, value_of(row)});
    return;
  }
  model::sample_row& out = book_.row(name, metric_);
  // The least of two benchmarks is the faster one's: the other could become any slower unseen.
  const registration is_of{row.family, row.instance};
  const std::size_t at = book_.place_of(out);
  if (at == registrations_.size()) registrations_.push_back(is_of);
  if (registrations_[at] != is_of)
    row_book::fail(out, "is the name of several benchmarks: whose time it is cannot be told");
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
  row_book::state_statistic(out, repetitions_themselves);
  book_.measure(out, 0, *value * factor);
}

// Of benchmarks that no repetition has made a row of.
void google_benchmark_rows::take_centres(const std::vector<centre>& centres,
                                         std::string_view statistic) {
  const std::size_t measured = book_.size();
  std::size_t taken = 0;
  for (const centre& each : centres) {
    model::sample_row& row = book_.row(each.name, metric_);
    if (book_.size() <= measured + taken) continue;
    ++taken;
    if (!each.value) {
      row_book::fail(row, fmt::format("has no {}", printable(metric_)));
      continue;
    }
    const double factor = book_.scale(
        row, is_time(metric_) ? std::string_view(each.time_unit) : unit_of_counter(metric_));
    row_book::state_statistic(row, statistic);
    book_.measure(row, 0, *each.value * factor);
  }
  from_centres_ += taken;
}

result<void> google_benchmark_rows::finish(std::string_view file, model::sample_set& into) && {
  take_centres(medians_, median_of_summary);
  take_centres(means_, mean_of_summary);
  if (book_.size() == 0)
    return refused(file, "$.benchmarks", "has nothing but fits and spreads: no time of a benchmark",
                   "leave out --benchmark_report_aggregates_only");
  into.rows = std::move(book_).finish();
  into.ignored_row_count = ignored_ - from_centres_;
  if (into.ignored_row_count > 0)
    into.notes.push_back(
        fmt::format("{} aggregates and fits were left out", into.ignored_row_count));
  if (from_centres_ > 0)
    into.notes.push_back(
        fmt::format("{} benchmarks have no repetitions in the file, only aggregates: their median "
                    "was taken, or where there is none the mean",
                    from_centres_));
  return {};
}

}  // namespace assay::ingest
