// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/clock_fold.h"

#include <algorithm>
#include <cmath>

#include "harness/audit/saturating.h"

namespace assay::audit {

void clock_fold::take(const assay_record& record) {
  ++findings_.samples;
  const std::int64_t bracket_ns = saturating_sub(record.end_ns, record.start_ns);
  if (bracket_ns < 0 || bracket_ns > bracket_max_ns) {
    ++findings_.rejected;
    return;
  }
  const std::int64_t bound_ns = (bracket_ns + 1) / 2;
  const std::int64_t middle_ns = record.start_ns + bracket_ns / 2;
  std::int64_t offset_ns = saturating_sub(record.amount, middle_ns);
  // Within its bracket the device's clock may be the host's: then nothing is to be mapped.
  if (offset_ns >= -bound_ns && offset_ns <= bound_ns) offset_ns = 0;
  if (findings_.usable() == 1) {
    first_offset_ns_ = offset_ns;
    first_at_ns_ = middle_ns;
    first_bound_ns_ = bound_ns;
  } else {
    const double apart_ns = std::abs(static_cast<double>(saturating_sub(middle_ns, first_at_ns_)));
    const double moved_ns = static_cast<double>(saturating_sub(offset_ns, first_offset_ns_));
    const double known_ns = apart_ns * drift_max_ppm * 1e-6 +
                            static_cast<double>(saturating_add(bound_ns, first_bound_ns_));
    if (apart_ns > 0.0) findings_.drift_ppm = moved_ns / apart_ns * 1e6;
    if (std::abs(moved_ns) > known_ns) {
      ++findings_.steps;
      const double beyond_ns = std::min(std::abs(moved_ns) - known_ns, 9e18);
      findings_.worst_step_ns =
          std::max(findings_.worst_step_ns, static_cast<std::int64_t>(beyond_ns));
    }
  }
  offset_ns_ = offset_ns;
  findings_.bound_ns = std::max(findings_.bound_ns, bound_ns);
}

std::int64_t clock_fold::to_host(std::int64_t device_ns) const {
  return saturating_sub(device_ns, offset_ns_);
}

}  // namespace assay::audit
