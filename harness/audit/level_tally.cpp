// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/level_tally.h"

#include <algorithm>
#include <limits>

namespace assay::audit {

void level_tally::take(const window_name& where, const number& reading, const number& observed) {
  const double read = reading.as_double();
  const double seen = observed.as_double();
  sum_ += seen;
  if (!observed.is_zero()) {
    if (active++ == 0) first_observed_ = seen;
    has_varied = has_varied || seen != first_observed_;
    if (read == seen) ++as_level;
    if (read == sum_) ++as_sum;
  }
  if (!has_reading_ || read != reading_) {
    has_reading_ = true;
    reading_ = read;
    least_ = most_ = seen;
    windows_ = 0;
    since_ = where;
  }
  ++windows_;
  least_ = std::min(least_, seen);
  most_ = std::max(most_, seen);
  const double ratio = least_ > 0.0  ? most_ / least_
                       : most_ > 0.0 ? std::numeric_limits<double>::infinity()
                                     : 1.0;
  if (ratio <= held_ratio) return;
  held_ratio = ratio;
  held_windows = windows_;
  held_since = since_;
}

}  // namespace assay::audit
