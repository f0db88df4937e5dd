// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The unit that is promised against the one that the name says, and the one that is published.
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using model::severity;

// Requests are a count of requests.
bool is_same_unit(std::string_view said, std::string_view promised) {
  if (said == promised) return true;
  const bool is_thing =
      said == "requests" || said == "tokens" || said == "blocks" || said == "pages";
  return promised == "count" && is_thing;
}

void look_at_name(const model::promised_metric& metric, std::string_view contract, check_log& log) {
  std::optional<std::string> said = unit_in_name(metric.name);
  if (!said) {
    said = unit_within(metric.name);
    if (!said || !is_same_dimension(*said, metric.unit)) return;
  }
  log.looked();
  if (is_same_unit(*said, metric.unit)) return;
  log.find(severity::error, "R10", metric.name,
           fmt::format("{} is in {}, and its name says {}", metric.name, metric.unit, *said),
           place_of(contract, metric.line));
}

// OpenMetrics publishes a unit beside the type.
void look_at_published(const model::promised_metric& metric, const series_index& in,
                       check_log& log) {
  const auto* family = in.family(metric.name);
  if (family == nullptr || family->unit.empty()) return;
  const std::string where = place_of(in.from().source, family->line);
  const auto said = unit_of_word(family->unit);
  if (!said)
    return log.cannot_judge(
        where, fmt::format("the unit of {}: it publishes '{}', which is none that is known",
                           metric.name, family->unit));
  log.looked();
  if (is_same_unit(*said, metric.unit)) return;
  log.find_first(severity::error, "R10", metric.name,
                 fmt::format("{} is promised in {}, and publishes itself in {}", metric.name,
                             metric.unit, *said),
                 where);
}

}  // namespace

void check_unit_in_name(const subject& of, check_log& log) {
  for (const auto& metric : of.contract->metrics) {
    look_at_name(metric, of.contract->source, log);
    for (const auto& snapshot : of.snapshots) look_at_published(metric, snapshot, log);
  }
}

}  // namespace assay::guard
