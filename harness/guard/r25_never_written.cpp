// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R25: what is promised and nobody writes: in no snapshot, or no string of the source.
#include <algorithm>

#include <fmt/format.h>

#include "harness/guard/checks.h"

namespace assay::guard {

using model::severity;

void check_never_written(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
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
    log.find(severity::error, "R25", metric.name,
             fmt::format(
                 "{} is promised and {}", metric.name,
                 is_declared ? "declared, and no sample of it was ever written" : "in no snapshot"),
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
