// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r14_phantom.h"

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

model::finding phantom_finding(const counter_evidence& counter,
                               const reference_evidence& reference) {
  figures f = figures_of(counter, reference);
  if (reference.relation == ASSAY_EQUAL) {
    f.claimed = reference.exact.first.claimed;
    f.observed = reference.exact.first.observed;
  }
  model::finding found = finding_of("R14", "PHANTOM", model::severity::critical, counter.spec.name);
  found.message = fmt::format(
      "{} claims {} where {} saw nothing, in {} windows{}: no activity is behind it.",
      counter.spec.name, value_words(f.claimed, counter.spec.unit), source_name(reference.source),
      f.windows, f.where.empty() ? std::string() : ", first in " + f.where);
  found.claimed = quantity_of(f.claimed);
  found.observed = quantity_of(f.observed);
  found.likely_cause = "work that was planned or refused, and never ran";
  found.where = f.where;
  found.window_count = f.windows;
  return found;
}

}  // namespace

rule_outcome phantom(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (!is_judgeable(counter)) continue;
    for (const reference_evidence& reference : counter.references)
      if (!reference.is_void() && reference.relation == ASSAY_EQUAL)
        out.evaluated += reference.exact.compared - reference.exact.active;
    if (const reference_evidence* seen = first_of(counter, mismatch_class::phantom))
      out.findings.push_back(phantom_finding(counter, *seen));
  }
  return out;
}

}  // namespace assay::audit
