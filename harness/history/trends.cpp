// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/trends.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/history/change_points.h"

namespace assay::history {

model::trend_report trends_of(const std::vector<series>& all) {
  model::trend_report out;
  const auto is_searched = [&](const series& each) {
    return each.points.size() >= out.least_points;
  };
  // The more series, the more values each must have; and with more values asked for, the fewer
  // series have them.
  change_rules rules;
  for (out.least_points = least_values(rules);;) {
    rules = rules_for(static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_searched)));
    const std::size_t needed = least_values(rules);
    if (needed <= out.least_points) break;
    out.least_points = needed;
  }
  std::set<std::pair<std::int64_t, std::string>> results;
  for (const series& each : all) {
    model::trend_series made{each.verb, each.name,         each.metric,       each.unit,   {},
                             {},        each.absent_count, is_searched(each), each.subject};
    std::vector<double> values;
    for (const series_point& point : each.points) {
      made.points.push_back({point.commit, point.recorded_at_ns, point.value});
      values.push_back(point.value);
      results.emplace(point.recorded_at_ns, each.verb);
    }
    if (made.is_searched)
      for (const change_point& at : change_points(values, rules))
        made.changes.push_back({at.first, at.before, at.after, at.p_value});
    out.series.push_back(std::move(made));
  }
  out.results = results.size();
  return out;
}

}  // namespace assay::history
