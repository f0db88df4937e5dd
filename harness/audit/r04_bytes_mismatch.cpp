// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r04_bytes_mismatch.h"

#include <utility>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/small_multiple.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

model::finding byte_finding(const counter_evidence& counter, const reference_evidence& reference) {
  const figures f = figures_of(counter, reference);
  model::finding found =
      finding_of("R04", "BYTES_MISMATCH", model::severity::critical, counter.spec.name);
  const std::string relation =
      reference.relation == ASSAY_EQUAL ? "" : " " + relation_name(reference.relation);
  found.message = fmt::format(
      "{} claims {}, {} say{}{} {}: {} unexplained, in {} of {} windows, first in {}.",
      counter.spec.name, value_words(f.claimed, counter.spec.unit), source_name(reference.source),
      reference.source == ASSAY_SOURCE_DEVICE_RECORDS || reference.source == ASSAY_SOURCE_EVENTS
          ? ""
          : "s",
      relation, value_words(f.observed, counter.spec.unit),
      f.claimed.is_real
          ? fmt::format("{:+.6g}", f.claimed.real - f.observed.real)
          : fmt::format("{:+}", saturating_sub(f.claimed.integer, f.observed.integer)),
      f.windows, reference.compared(), f.where);
  found.claimed = quantity_of(f.claimed);
  found.observed = quantity_of(f.observed);
  if (auto cause = small_multiple(f.claimed.as_double(), f.observed.as_double()))
    found.explanations.push_back(explanation_of(found.rule, found.rule_name,
                                                std::move(cause->message), cause->distance_ratio));
  found.where = f.where;
  found.window_count = f.windows;
  return found;
}

}  // namespace

rule_outcome bytes_mismatch(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (counter.spec.is_timed() || !is_judgeable(counter)) continue;
    for (const reference_evidence& reference : counter.references)
      if (!reference.is_void()) out.evaluated += reference.compared();
    if (const reference_evidence* wrong = first_of(counter, mismatch_class::differs))
      out.findings.push_back(byte_finding(counter, *wrong));
  }
  return out;
}

}  // namespace assay::audit
