// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r05_duration_mismatch.h"

#include <utility>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/r01_enqueue_timed.h"
#include "harness/audit/r02_impossible_bandwidth.h"
#include "harness/audit/r03_cache_bandwidth.h"
#include "harness/audit/r06_overlap_double_count.h"
#include "harness/audit/small_multiple.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

std::string medians(const counter_evidence& counter, const reference_evidence& reference) {
  if (reference.relation != ASSAY_NEAR || counter.spec.unit != unit::ns) return {};
  const auto& group =
      reference.near.groups()[static_cast<std::size_t>(reference.near.deciding_kind())];
  return fmt::format("; a typical window: {} against {}", time_words(group.median_claimed),
                     time_words(group.median_observed));
}

std::string window_words(const reference_evidence& reference, const figures& f) {
  if (reference.relation != ASSAY_NEAR)
    return fmt::format("in {} of {} windows, first in {}", f.windows, reference.compared(),
                       f.where);
  const std::uint64_t disturbed = reference.near.excluded();
  const std::string all = fmt::format("over {} windows", f.windows);
  return disturbed == 0 ? all : fmt::format("{}, {} disturbed ones left out", all, disturbed);
}

model::finding time_finding(const counter_evidence& counter, const reference_evidence& reference) {
  const figures f = figures_of(counter, reference);
  model::finding found =
      finding_of("R05", "DURATION_MISMATCH", model::severity::error, counter.spec.name);
  const double claimed = f.claimed.as_double();
  const double observed = f.observed.as_double();
  const std::string bound =
      reference.relation == ASSAY_NEAR ? std::string() : " " + relation_name(reference.relation);
  found.message =
      fmt::format("{} claims {}, {}:{} {}: off by {:+.1f} %, {}{}.", counter.spec.name,
                  value_words(f.claimed, counter.spec.unit), source_name(reference.source), bound,
                  value_words(f.observed, counter.spec.unit),
                  observed == 0.0 ? 100.0 : (claimed / observed - 1.0) * 100.0,
                  window_words(reference, f), medians(counter, reference));
  found.claimed = quantity_of(f.claimed);
  found.observed = quantity_of(f.observed);
  if (auto cause = small_multiple(claimed, observed))
    found.explanations.push_back(explanation_of(found.rule, found.rule_name,
                                                std::move(cause->message), cause->distance_ratio));
  found.where = f.where;
  found.window_count = f.windows;
  return found;
}

}  // namespace

rule_outcome duration_mismatch(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (!counter.spec.is_timed() || !is_judgeable(counter) || is_enqueue_timed(counter) ||
        is_overlap_summed(counter) || exceeds_ceiling(counter, from) ||
        exceeds_memory(counter, from.ceilings))
      continue;
    for (const reference_evidence& reference : counter.references)
      if (!reference.is_void()) out.evaluated += reference.compared();
    if (const reference_evidence* wrong = first_of(counter, mismatch_class::differs))
      out.findings.push_back(time_finding(counter, *wrong));
  }
  return out;
}

}  // namespace assay::audit
