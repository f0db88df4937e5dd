// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/clock_map.h"

#include <algorithm>

#include "probes/trace/bounded.h"

namespace assay::trace {

void clock_map::take(const assay_record& sample) {
  const std::int64_t width_ns = difference(sample.end_ns, sample.start_ns);
  if (width_ns < 0 || width_ns > widest_bracket_ns) return;
  is_sampled_ = true;
  error_ns_ = std::max(error_ns_, (width_ns + 1) / 2);
  const bool is_same_clock = sample.amount >= sample.start_ns && sample.amount <= sample.end_ns;
  offset_ns_ = is_same_clock ? 0 : difference(sample.amount, sample.start_ns + width_ns / 2);
}

std::int64_t clock_map::to_host_ns(std::int64_t device_ns) const {
  return difference(device_ns, offset_ns_);
}

}  // namespace assay::trace
