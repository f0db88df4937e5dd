// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r16_monotonic.h"

#include <fmt/format.h>

#include "harness/audit/wording.h"

namespace assay::audit {

rule_outcome monotonic(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    out.evaluated += counter.steps_checked;
    // A mark such as -1 is not a fall.
    if (counter.steps_back == 0 || counter.range.outside > 0) continue;
    const mismatch& first = counter.first_step_back;
    model::finding found =
        finding_of("R16", "MONOTONIC/NEGATIVE", model::severity::error, counter.spec.name);
    found.message = fmt::format(
        "{} {} {} in {}, and in {} windows in all: it {}.", counter.spec.name,
        counter.spec.is_cumulative() ? "went back by" : "reads",
        value_words(
            number::of(counter.spec.is_cumulative() ? saturating_sub(0, first.claimed.integer)
                                                    : first.claimed.integer),
            counter.spec.unit),
        to_string(first.where), counter.steps_back,
        counter.spec.is_cumulative() ? "may only grow between the resets that its contract names"
                                     : "may neither fall below zero nor, as a peak, fall at all");
    found.claimed = quantity_of(first.claimed);
    found.observed = absent("no reference is needed");
    found.likely_cause =
        "a reset that the contract does not declare, a subtraction the wrong way "
        "round, or an overflow";
    found.where = to_string(first.where);
    found.window_count = counter.steps_back;
    out.findings.push_back(std::move(found));
  }
  return out;
}

}  // namespace assay::audit
