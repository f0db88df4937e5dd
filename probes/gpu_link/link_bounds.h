// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a link and a memory cannot exceed, from how they are built. Pure.
#pragma once

#include <cstdint>

#include "runtime/telemetry/result.h"

namespace assay::probes {

/// A PCIe link as it is while bytes move: an idle one trains down.
struct link_state {
  std::uint32_t generation = 0;
  std::uint32_t width = 0;  ///< lanes
};

/// Bytes a second in one direction, after line coding and before packet headers.
/// Errors: unavailable for a generation that has no figure here, or a width that no link has.
result<double> raw_link_bytes_per_s(const link_state& link);

/// Bytes a second that a memory's pins can carry: both edges of the clock, all of the bus.
/// Errors: unavailable, where either is not above 0.
result<double> raw_memory_bytes_per_s(std::int64_t clock_khz, std::int64_t bus_bits);

}  // namespace assay::probes
