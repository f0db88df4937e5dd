// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r08_hit_rate.h"

#include <cmath>
#include <string>

#include "harness/audit/formula_finding.h"

namespace assay::audit {
namespace {

// Another ratio of the same contract that the figure fits: what was published in this one's place.
std::string namesake(const evidence& from, const model::finding& broken) {
  for (const formula_evidence& other : from.formulas) {
    if (other.shape != formula_shape::ratio || other.subject == broken.subject) continue;
    const counter_evidence& counter = from.counters[static_cast<std::size_t>(other.row)];
    const double claimed = broken.claimed.real;
    if (counter.was_measured &&
        std::abs(counter.claimed.as_double() - claimed) <= formula_tolerance * std::abs(claimed))
      return counter.spec.name + ", published under this name";
  }
  return {};
}

}  // namespace

rule_outcome hit_rate(const evidence& from, void_map&) {
  rule_outcome out = formulas_of(from, formula_shape::ratio, "R08", "HIT_RATE", {});
  for (model::finding& found : out.findings)
    if (found.likely_cause.empty()) found.likely_cause = namesake(from, found);
  return out;
}

}  // namespace assay::audit
