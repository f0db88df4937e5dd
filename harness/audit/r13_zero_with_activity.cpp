// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r13_zero_with_activity.h"

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

struct silence {
  std::uint64_t windows = 0;
  std::string where;
  number observed;
};

silence silence_of(const counter_evidence& counter, const reference_evidence& reference) {
  if (reference.relation == ASSAY_EQUAL)
    return {reference.exact.zero, to_string(reference.exact.first.where), reference.exact.observed};
  if (reference.relation == ASSAY_NEAR)
    return {reference.near.zero_run_windows(), to_string(reference.near.first_zero()),
            counter.spec.is_real()
                ? number::of_real(reference.near.zero_run_observed())
                : number::of(static_cast<std::int64_t>(reference.near.zero_run_observed()))};
  return {reference.bound.zero, to_string(reference.bound.first.where), reference.bound.bound};
}

model::finding silence_finding(const counter_evidence& counter,
                               const reference_evidence& reference) {
  const silence quiet = silence_of(counter, reference);
  model::finding found =
      finding_of("R13", "ZERO_WITH_ACTIVITY", model::severity::critical, counter.spec.name);
  found.message = fmt::format(
      "{} {} in {} windows in which {} saw activity, first in {}; {} observed in all.",
      counter.spec.name,
      counter.was_measured ? "stood still" : "was never written, and claims nothing", quiet.windows,
      source_name(reference.source), quiet.where, value_words(quiet.observed, counter.spec.unit));
  found.claimed = counter.was_measured ? quantity_of(number::of(0)) : absent("never written");
  found.observed = quantity_of(quiet.observed);
  found.likely_cause =
      counter.was_measured ? "the counter is frozen" : "nothing writes the counter";
  found.where = quiet.where;
  found.window_count = quiet.windows;
  return found;
}

std::uint64_t active_windows(const reference_evidence& reference) {
  if (reference.relation == ASSAY_EQUAL) return reference.exact.active;
  if (reference.relation == ASSAY_NEAR) return reference.near.active_windows();
  return reference.relation == ASSAY_AT_LEAST ? reference.bound.compared : 0;
}

}  // namespace

rule_outcome zero_with_activity(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (!is_judgeable(counter)) continue;
    for (const reference_evidence& reference : counter.references)
      if (!reference.is_void()) out.evaluated += active_windows(reference);
    if (const reference_evidence* seen = first_of(counter, mismatch_class::silent))
      out.findings.push_back(silence_finding(counter, *seen));
  }
  return out;
}

}  // namespace assay::audit
