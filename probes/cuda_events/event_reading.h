// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What two events say, and by how much it may be off.
#pragma once

#include <cstddef>
#include <cstdint>

#include "probes/cuda_events/event_source.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Clock: device event.
struct event_reading {
  std::int64_t took_ns = 0;
  /// By how much it may be off: the events' resolution of half a microsecond, and half of what one
  /// bit of an f32 of that many ms is.
  std::int64_t error_ns = 0;
};

/// Of two events that were reached. Errors: the source's; internal, where the time is no number or
/// negative.
result<event_reading> read_between(event_source& events, std::size_t from, std::size_t to);

}  // namespace assay::probes
