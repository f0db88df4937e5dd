// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/row_book.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/metric_unit.h"

namespace assay::ingest {
namespace {

double folded(std::vector<double>& values, model::direction better) {
  if (better == model::direction::lower_is_better)
    return *std::min_element(values.begin(), values.end());
  if (better == model::direction::higher_is_better)
    return *std::max_element(values.begin(), values.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void row_book::expect(std::size_t rows) {
  rows_.reserve(rows);
  measurements_.reserve(rows);
  known_.reserve(rows);
}

model::sample_row& row_book::row(std::string_view name, std::string_view metric) {
  std::string key;
  key.reserve(name.size() + metric.size() + 1);
  // A name may hold any byte but this one decides where it ends.
  ((key += metric) += '\0') += name;
  const auto [found, is_new] = known_.try_emplace(std::move(key), rows_.size());
  if (is_new) {
    rows_.emplace_back();
    rows_.back().name = name;
    rows_.back().metric = metric;
  }
  return rows_[found->second];
}

double row_book::scale(model::sample_row& row, std::string_view written_unit) {
  const auto known = known_unit(written_unit);
  const std::string_view unit = known ? known->base : written_unit;
  if (row.unit.empty()) {
    row.unit = unit;
    row.better = known ? known->better : model::direction::unknown;
  } else if (row.unit != unit) {
    fail(row, fmt::format("is given in {} and in {}", printable(row.unit), printable(unit)));
  }
  return known ? known->factor : 1.0;
}

void row_book::measure(model::sample_row& row, std::size_t process, double value) {
  ++row.iteration_count;
  if (!std::isfinite(value)) return fail(row, fmt::format("{} is no finite number", row.metric));
  if (value <= 0 && is_always_positive(row.unit))
    return fail(row, fmt::format("{} is {:g}: nothing was measured", row.metric, value));
  measurements_.push_back({place_of(row), process, value});
}

void row_book::state_statistic(model::sample_row& row, std::string_view what) {
  if (row.statistic.empty())
    row.statistic = what;
  else if (row.statistic != what)
    fail(row, fmt::format("statistic: {} and {} in one row", row.statistic, what));
}

void row_book::fail(model::sample_row& row, std::string why) {
  if (row.failure.empty()) row.failure = std::move(why);
}

std::vector<model::sample_row> row_book::finish() && {
  const auto in_order = [](const measurement& a, const measurement& b) {
    return std::pair(a.row, a.process) < std::pair(b.row, b.process);
  };
  if (!std::is_sorted(measurements_.begin(), measurements_.end(), in_order))
    std::stable_sort(measurements_.begin(), measurements_.end(), in_order);
  std::vector<double> values;
  for (std::size_t at = 0; at < measurements_.size(); ++at) {
    const measurement& each = measurements_[at];
    values.push_back(each.value);
    const bool is_last = at + 1 == measurements_.size() || measurements_[at + 1].row != each.row ||
                         measurements_[at + 1].process != each.process;
    if (!is_last) continue;
    model::sample_row& row = rows_[each.row];
    row.process_values.push_back(folded(values, row.better));
    values.clear();
  }
  for (model::sample_row& row : rows_)
    if (row.process_values.empty()) fail(row, "has no number");
  return std::move(rows_);
}

}  // namespace assay::ingest
