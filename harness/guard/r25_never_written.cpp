// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R25: what is promised and nobody writes: in no snapshot, or no string of the source.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "harness/guard/checks.h"

namespace assay::guard {

using model::severity;

namespace {

using valueless = std::unordered_map<std::string_view, const model::exposition_problem*>;

// Where a metric is first named beside a value that is none.
valueless valueless_in(const subject& of) {
  valueless all;
  for (const auto& snapshot : of.snapshots)
    for (const auto& problem : snapshot.from().problems)
      if (!problem.metric.empty()) all.try_emplace(problem.metric, &problem);
  return all;
}

}  // namespace

void check_never_written(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  const valueless all_valueless = valueless_in(of);
  for (const auto& metric : of.contract->metrics) {
    if (metric.is_optional) continue;
    log.looked();
    const bool is_there = std::any_of(of.snapshots.begin(), of.snapshots.end(),
                                      [&](const series_index& s) { return s.has(metric); });
    if (is_there) continue;
    const bool is_declared =
        std::any_of(of.snapshots.begin(), of.snapshots.end(), [&](const series_index& s) {
          return s.family(metric.name) != nullptr && s.family(metric.name)->line > 0;
        });
    std::string how =
        is_declared ? "declared, and no sample of it was ever written" : "in no snapshot";
    if (const auto never = all_valueless.find(metric.name); never != all_valueless.end())
      how = fmt::format("there, and never a number: line {} {}", never->second->line,
                        never->second->what);
    log.find(severity::error, "R25", metric.name,
             fmt::format("{} is promised and {}", metric.name, how),
             place_of(of.contract->source, metric.line));
  }
}

void check_no_writer(const subject& of, check_log& log) {
  if (of.source == nullptr) return log.absent("no source was given");
  for (const auto& metric : of.contract->metrics) {
    log.looked();
    if (of.source->find_written_metric(metric.name) != nullptr) continue;
    log.find(metric.is_optional ? severity::warning : severity::error, "R25", metric.name,
             fmt::format("{} is promised, and no string of the source is its name", metric.name),
             place_of(of.contract->source, metric.line));
  }
}

}  // namespace assay::guard
