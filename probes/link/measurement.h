// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One measured transfer.
#pragma once

#include <cstdint>

#include "runtime/telemetry/clock.h"

namespace assay::probes {

/// `bytes` were read once, or copied once: a copy counts its bytes once, as a counter of copied
/// bytes does, although it moves them over the bus twice.
struct link_measurement {
  std::uint64_t bytes = 0;
  host_time start;
  host_time end;
  std::uint64_t working_set_bytes = 0;

  double bytes_per_s() const {
    constexpr double ns_per_s = 1e9;
    return static_cast<double>(bytes) * ns_per_s / static_cast<double>(end - start);
  }
};

}  // namespace assay::probes
