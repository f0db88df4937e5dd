// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/dispute.h"

#include <cmath>

#include "harness/audit/mismatch.h"

namespace assay::audit {
namespace {

constexpr double width_max_ratio = 1.5;

bool is_explainable(const model::finding& finding) {
  return finding.rule == "R02" || finding.rule == "R03" || finding.rule == "R04" ||
         finding.rule == "R05";
}

// Two bounds of one source, of the same windows, have the truth between them.
bool take_bounds(const counter_evidence& counter, const reference_evidence& one, dispute& into) {
  for (const reference_evidence& other : counter.references) {
    if (other.source != one.source || other.relation == one.relation || other.is_void() ||
        other.relation < ASSAY_AT_MOST || other.bound.compared != one.bound.compared)
      continue;
    const bool is_upper = one.relation == ASSAY_AT_MOST;
    into.claimed = one.bound.claimed.as_double();
    into.low = (is_upper ? other : one).bound.bound.as_double();
    into.high = (is_upper ? one : other).bound.bound.as_double();
    into.windows = one.bound.compared;
    return true;
  }
  return false;
}

bool take_figures(const counter_evidence& counter, const reference_evidence& from, dispute& into) {
  if (from.relation == ASSAY_NEAR) {
    const auto& group = from.near.groups()[static_cast<std::size_t>(from.near.deciding_kind())];
    const time_sums& sums = group.kept.windows > 0 ? group.kept : group.all;
    into.claimed = sums.claimed;
    into.low = sums.low;
    into.high = sums.high;
    into.windows = sums.windows;
    return true;
  }
  if (from.relation != ASSAY_EQUAL) return take_bounds(counter, from, into);
  const figures f = figures_of(counter, from);
  into.is_exact = !f.claimed.is_real;
  into.claimed_integer = f.claimed.integer;
  into.observed_integer = f.observed.integer;
  into.claimed = f.claimed.as_double();
  into.low = into.high = f.observed.as_double();
  into.windows = from.compared();
  return true;
}

// Whatever the finding is of: what its counter says, and what the first reference that differs
// does.
std::optional<dispute> figures_behind(const evidence& from, const model::finding& finding) {
  dispute open;
  open.counter = counter_named(from, finding.subject);
  if (open.counter == nullptr) return std::nullopt;
  const reference_evidence* wrong = first_of(*open.counter, mismatch_class::differs);
  if (wrong == nullptr || !take_figures(*open.counter, *wrong, open)) return std::nullopt;
  const bool is_usable = open.claimed > 0.0 && open.low > 0.0 && std::isfinite(open.claimed) &&
                         open.high <= width_max_ratio * open.low;
  return is_usable ? std::optional(open) : std::nullopt;
}

}  // namespace

const counter_evidence* counter_named(const evidence& from, const std::string& name) {
  for (const counter_evidence& counter : from.counters)
    if (counter.spec.name == name) return &counter;
  return nullptr;
}

std::optional<dispute> dispute_of(const evidence& from, const model::finding& finding) {
  return is_explainable(finding) ? figures_behind(from, finding) : std::nullopt;
}

std::optional<dispute> enqueue_dispute_of(const evidence& from, const model::finding& finding) {
  if (finding.rule != "R01") return std::nullopt;
  const auto open = figures_behind(from, finding);
  const bool is_time = open && open->counter->spec.kind == telemetry::counter_kind::duration;
  return is_time ? open : std::nullopt;
}

std::optional<double> distance_to(const dispute& open, double factor, double tolerance) {
  const bool is_near = open.claimed >= open.low * factor * (1.0 - tolerance) &&
                       open.claimed <= open.high * factor * (1.0 + tolerance);
  if (!is_near) return std::nullopt;
  return std::abs(open.claimed / (0.5 * (open.low + open.high) * factor) - 1.0);
}

}  // namespace assay::audit
