// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/formula_finding.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

// Either there is a whole, and a share that nobody computes; or there is none, and no shares.
bool is_share_of_nothing(const formula_evidence& of) {
  return of.shape == formula_shape::partition && of.claimed == 0.0;
}

std::string message_of(const formula_evidence& of) {
  const std::string where =
      fmt::format("in {} of {} windows, first in {}", of.broken, of.evaluated, to_string(of.first));
  if (is_share_of_nothing(of))
    return fmt::format("{} does not hold: every share is 0, {}.", of.words, where);
  if (of.shape == formula_shape::partition)
    return fmt::format("{} does not hold: the shares come to {:.6g}, {}.", of.words, of.claimed,
                       where);
  if (of.of_nothing > 0)
    return fmt::format("{} is {:.6g} while nothing was counted that it could be of, {}.",
                       of.subject, of.claimed, where);
  return fmt::format("{} claims {:.6g}, and its own parts give {:.6g}, {}: {}.", of.subject,
                     of.claimed, of.again, where, of.words);
}

}  // namespace

bool is_broken_by_itself(const evidence& from, const formula_evidence& of) {
  const bool is_out_of_range =
      of.row >= 0 && from.counters[static_cast<std::size_t>(of.row)].range.outside > 0;
  return of.broken > 0 && !is_out_of_range &&
         std::none_of(of.parts.begin(), of.parts.end(), [&](std::size_t part) {
           return class_of(from.counters[part]) != mismatch_class::none;
         });
}

rule_outcome formulas_of(const evidence& from, formula_shape shape, std::string_view rule,
                         std::string_view name, std::string_view cause) {
  rule_outcome out;
  for (const formula_evidence& of : from.formulas) {
    if (of.shape != shape) continue;
    out.evaluated += of.evaluated;
    if (!is_broken_by_itself(from, of)) continue;
    model::finding found = finding_of(rule, name, model::severity::error, of.subject);
    found.message = message_of(of);
    found.claimed = quantity_of(number::of_real(of.claimed));
    found.observed =
        of.of_nothing > 0 ? absent("nothing was counted") : quantity_of(number::of_real(of.again));
    if (of.row < 0) found.unit = to_string(unit::ratio);  // shares of a whole have no counter
    found.likely_cause = of.of_nothing > 0 ? "a 0 in place of an absence"
                         : is_share_of_nothing(of)
                             ? "shares that nobody computes, or a 0 in place of an absence"
                             : std::string(cause);
    found.where = to_string(of.first);
    found.window_count = of.broken;
    out.findings.push_back(std::move(found));
  }
  return out;
}

}  // namespace assay::audit
