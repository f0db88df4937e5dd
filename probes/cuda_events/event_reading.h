// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What two events say, and by how much it may be off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "probes/cuda_events/event_source.h"
#include "probes/trace/assay_trace.h"
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

/// Four events around one thing, in the order of the stream: what lies between `first` and `last`
/// took no longer than it, and what lies between `before` and `after` no less.
struct event_places {
  static constexpr std::size_t nowhere = ~std::size_t{0};
  std::size_t before = nowhere;
  std::size_t first = nowhere;
  std::size_t last = nowhere;
  std::size_t after = nowhere;

  bool is_whole() const {
    return before != nowhere && first != nowhere && last != nowhere && after != nowhere;
  }
};

/// An EVENT_SPAN without range and stream; none where an event is missing, not reached or unread.
std::optional<assay_record> read_span(event_source& events, const event_places& around);

}  // namespace assay::probes
