// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace assay::probes {

clock_fit::clock_fit(const clock_bracket& first, const clock_bracket& second)
    : device_origin_ns_(first.device_ns),
      host_origin_ns_(first.host_ns()),
      drift_(0.0),
      error_ns_((std::max(first.width_ns(), second.width_ns()) + 1) / 2),
      is_plausible_(true) {
  const std::int64_t device_ns = second.device_ns - first.device_ns;
  const std::int64_t host_ns = second.host_ns() - first.host_ns();
  const std::int64_t slewed_ns = std::abs(device_ns) / 2000;
  is_plausible_ = std::abs(host_ns - device_ns) <= slewed_ns + 2 * error_ns_;
  if (device_ns == 0) return;
  // Differences first: a time since 1970 in ns has more digits than a double.
  drift_ = static_cast<double>(host_ns - device_ns) / static_cast<double>(device_ns);
}

std::int64_t clock_fit::to_host_ns(std::int64_t device_ns) const {
  const std::int64_t since_ns = device_ns - device_origin_ns_;
  return host_origin_ns_ + since_ns + std::llround(static_cast<double>(since_ns) * drift_);
}

}  // namespace assay::probes
