// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r08_hit_rate.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

// Another ratio of the same contract that the figure fits: what was published in this one's place.
std::string namesake(const evidence& from, const quotient_evidence& broken) {
  for (const quotient_evidence& other : from.quotients) {
    if (other.ratio_row == broken.ratio_row) continue;
    const counter_evidence& counter = from.counters[other.ratio_row];
    if (counter.was_measured && std::abs(counter.claimed.as_double() - broken.claimed) <=
                                    quotient_tolerance * std::abs(broken.claimed))
      return counter.spec.name + ", published under this name";
  }
  return {};
}

model::finding describe(const evidence& from, const quotient_evidence& broken) {
  const counter_spec& spec = from.counters[broken.ratio_row].spec;
  model::finding found = finding_of("R08", "HIT_RATE", model::severity::error, spec.name);
  found.message =
      fmt::format("{} claims {}, its own parts give {} ({}), in {} of {} windows, first in {}.",
                  spec.name, value_words(number::of_real(broken.claimed), spec.unit),
                  value_words(number::of_real(broken.recomputed), spec.unit), broken.words,
                  broken.broken, broken.evaluated, to_string(broken.first));
  found.claimed = quantity_of(number::of_real(broken.claimed));
  found.observed = quantity_of(number::of_real(broken.recomputed));
  found.likely_cause = namesake(from, broken);
  found.where = to_string(broken.first);
  found.window_count = broken.broken;
  return found;
}

}  // namespace

rule_outcome hit_rate(const evidence& from, void_map&) {
  rule_outcome out;
  for (const quotient_evidence& each : from.quotients) {
    out.evaluated += each.evaluated;
    if (each.broken == 0) continue;
    // A part that is wrong by itself is that part's finding.
    if (class_of(from.counters[each.part_row]) != mismatch_class::none ||
        class_of(from.counters[each.whole_row]) != mismatch_class::none)
      continue;
    out.findings.push_back(describe(from, each));
  }
  return out;
}

}  // namespace assay::audit
