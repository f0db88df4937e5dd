// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/series_index.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/guard/sample_names.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

// Each of `wanted` is one of the labels. A value may hold a comma; a label before it may not end
// in the middle of one, so both sides of the match must be borders.
bool has_labels(const std::string& labels, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& each) {
    for (std::size_t at = labels.find(each); at != std::string::npos;
         at = labels.find(each, at + 1)) {
      const std::size_t end = at + each.size();
      if ((at == 0 || labels[at - 1] == ',') && (end == labels.size() || labels[end] == ','))
        return true;
    }
    return false;
  });
}

}  // namespace

series_index::series_index(const model::exposition& of) : of_(&of) {
  for (const auto& sample : of.samples) samples_[sample.name].push_back(&sample);
  for (const auto& family : of.families) families_[family.name] = &family;
}

const series_index::sample_list& series_index::samples(std::string_view name) const {
  static const sample_list none;
  const auto found = samples_.find(name);
  return found == samples_.end() ? none : found->second;
}

const model::exposition_family* series_index::family(std::string_view name) const {
  if (const auto found = families_.find(name); found != families_.end()) return found->second;
  const auto found = families_.find(without_suffix(name));
  if (found == families_.end()) return nullptr;
  const bool is_its_own = is_published_by(name, found->second->name, found->second->kind);
  return is_its_own ? found->second : nullptr;
}

bool series_index::has(const model::promised_metric& metric) const {
  return !samples(metric.name).empty() || !amounts(metric).empty() ||
         (is_several(metric.kind) && !samples(metric.name + "_bucket").empty());
}

const series_index::sample_list& series_index::amounts(const model::promised_metric& metric) const {
  if (!is_several(metric.kind)) return samples(metric.name);
  const auto& of_now = samples(metric.name + "_gcount");
  return metric.kind == model::metric_kind::gauge_histogram && !of_now.empty()
             ? of_now
             : samples(metric.name + "_count");
}

bool is_restarted(const series_index& before, const series_index& after) {
  const auto& start = before.samples("process_start_time_seconds");
  const auto& again = after.samples("process_start_time_seconds");
  return !start.empty() && !again.empty() && start.front()->value != again.front()->value;
}

std::optional<double> value_of(const model::balance_term& term, const series_index& in) {
  std::optional<double> sum;
  for (const auto* sample : in.samples(term.metric)) {
    if (!has_labels(sample->labels, term.labels)) continue;
    if (!std::isfinite(sample->value)) return std::nullopt;
    sum = sum.value_or(0.0) + sample->value;
  }
  return sum;
}

std::optional<double> value_of(const std::vector<model::balance_term>& terms,
                               const series_index& in, std::string_view& missing) {
  double sum = 0.0;
  for (const auto& term : terms) {
    const auto value = value_of(term, in);
    if (!value) {
      missing = term.metric;
      return std::nullopt;
    }
    sum += term.is_negative ? -*value : *value;
  }
  return sum;
}

std::size_t line_of(const model::balance_term& term, const series_index& in) {
  for (const auto* sample : in.samples(term.metric))
    if (has_labels(sample->labels, term.labels)) return sample->line;
  return 0;
}

}  // namespace assay::guard
