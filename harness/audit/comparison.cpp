// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/comparison.h"

#include <algorithm>
#include <cmath>

namespace assay::audit {

void exact_tally::compare(const window_name& where, const number& claim, const number& reference) {
  ++compared;
  if (!reference.is_zero()) ++active;
  claimed.add(claim);
  observed.add(reference);
  last_claimed = claim;
  last_observed = reference;
  const bool is_silent = claim.is_zero() && !reference.is_zero();
  if (is_silent || !reference.is_zero()) silence_ = is_silent ? silence_ + 1 : 0;
  longest_silence = std::max(longest_silence, silence_);
  if (are_equal(claim, reference)) return;
  if (claim.is_zero())
    ++zero;
  else if (reference.is_zero())
    ++phantom;
  else
    ++differ;
  if (!first.is_known) first = {true, where, claim, reference};
}

void bound_tally::compare(const window_name& where, const number& claim, const number& limit,
                          bool is_upper) {
  ++compared;
  claimed.add(claim);
  bound.add(limit);
  // Written so that a NaN on either side violates.
  bool holds = false;
  if (claim.is_real || limit.is_real)
    holds =
        is_upper ? claim.as_double() <= limit.as_double() : claim.as_double() >= limit.as_double();
  else
    holds = is_upper ? claim.integer <= limit.integer : claim.integer >= limit.integer;
  if (holds) return;
  ++violated;
  if (!is_interruption(claim.as_double(), limit.as_double())) ++beyond;
  if (claim.is_zero() && !is_upper) ++zero;
  if (!first.is_known) first = {true, where, claim, limit};
}

// Written so that a NaN is none. A counter that stands at 0 was not interrupted, it is silent.
bool bound_tally::is_interruption(double claim, double limit) const {
  if (leniency == bound_leniency::none || claim == 0.0) return false;
  if (leniency == bound_leniency::time) return std::abs(claim - limit) <= interruption_max_ns;
  return claim <= interruption_max_factor * limit && limit <= interruption_max_factor * claim;
}

bool bound_tally::is_broken() const {
  return beyond > 0 || violated > compared / windows_per_interruption;
}

}  // namespace assay::audit
