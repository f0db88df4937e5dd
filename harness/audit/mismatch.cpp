// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/mismatch.h"

#include <algorithm>

namespace assay::audit {
namespace {

mismatch_class classify_exact(const exact_tally& exact) {
  if (exact.mismatches() == 0) return mismatch_class::none;
  const std::uint64_t enough = std::min(silent_min_windows, exact.active);
  if (exact.active > 0 && exact.longest_silence >= enough &&
      exact.zero >= exact.differ + exact.phantom)
    return mismatch_class::silent;
  if (exact.phantom > 0 && exact.zero == 0 && exact.differ == 0) return mismatch_class::phantom;
  return mismatch_class::differs;
}

mismatch_class classify_near(const counter_evidence& counter, const time_comparison& near) {
  const std::uint64_t enough = std::min(silent_min_windows, near.active_windows());
  const double silent_min = counter.spec.unit == unit::ns ? silent_min_ns : 0.0;
  if (near.active_windows() > 0 && near.zero_run_windows() >= enough &&
      near.zero_run_observed() > silent_min)
    return mismatch_class::silent;
  if (near.outcome() != time_outcome::broken) return mismatch_class::none;
  return near.active_windows() == 0 ? mismatch_class::phantom : mismatch_class::differs;
}

mismatch_class classify_bound(const bound_tally& bound) {
  if (!bound.is_broken()) return mismatch_class::none;
  if (bound.zero == bound.violated && bound.zero >= std::min(silent_min_windows, bound.compared))
    return mismatch_class::silent;
  return bound.bound.is_zero() ? mismatch_class::phantom : mismatch_class::differs;
}

}  // namespace

mismatch_class classify(const counter_evidence& counter, const reference_evidence& reference) {
  if (reference.relation == ASSAY_EQUAL) return classify_exact(reference.exact);
  if (reference.relation == ASSAY_NEAR) return classify_near(counter, reference.near);
  return classify_bound(reference.bound);
}

bool is_judgeable(const counter_evidence& counter) {
  return counter.steps_back == 0 && counter.range.outside == 0;
}

bool has_trusted_work(const counter_evidence& counter) {
  return std::any_of(counter.references.begin(), counter.references.end(),
                     [](const reference_evidence& r) {
                       return r.is_derived && r.source == ASSAY_SOURCE_DEVICE_RECORDS &&
                              r.relation == ASSAY_NEAR && !r.is_void();
                     });
}

mismatch_class class_of(const counter_evidence& counter) {
  mismatch_class found = mismatch_class::none;
  if (!is_judgeable(counter)) return found;
  for (const reference_evidence& reference : counter.references) {
    if (reference.is_void()) continue;
    const mismatch_class one = classify(counter, reference);
    if (one != mismatch_class::none && (found == mismatch_class::none || one < found)) found = one;
  }
  return found;
}

const reference_evidence* first_of(const counter_evidence& counter, mismatch_class wanted) {
  if (class_of(counter) != wanted) return nullptr;
  for (const reference_evidence& reference : counter.references)
    if (!reference.is_void() && classify(counter, reference) == wanted) return &reference;
  return nullptr;
}

figures figures_of(const counter_evidence& counter, const reference_evidence& reference) {
  figures out;
  if (reference.relation == ASSAY_NEAR) {
    const time_comparison& near = reference.near;
    const bool is_real = counter.spec.is_real();
    const auto as_number = [is_real](double v) {
      if (is_real) return number::of_real(v);
      return number::of(static_cast<std::int64_t>(std::clamp(v, -9e18, 9e18)));
    };
    const auto& group = near.groups()[static_cast<std::size_t>(near.deciding_kind())];
    const bool is_kept = group.kept.windows > 0;
    const time_sums& sums = is_kept ? group.kept : group.all;
    const double divisor =
        is_real ? static_cast<double>(std::max<std::uint64_t>(sums.windows, 1)) : 1.0;
    out.claimed = as_number(sums.claimed / divisor);
    out.observed = as_number((sums.claimed > sums.high ? sums.high : sums.low) / divisor);
    out.windows = sums.windows;
    return out;
  }
  if (reference.relation == ASSAY_EQUAL) {
    const exact_tally& exact = reference.exact;
    out.claimed = counter.spec.is_cumulative() ? exact.claimed : exact.first.claimed;
    out.observed = counter.spec.is_cumulative() ? exact.observed : exact.first.observed;
    out.windows = exact.mismatches();
    out.where = to_string(exact.first.where);
    return out;
  }
  out.claimed = reference.bound.first.claimed;
  out.observed = reference.bound.first.observed;
  out.windows = reference.bound.violated;
  out.where = to_string(reference.bound.first.where);
  return out;
}

}  // namespace assay::audit
