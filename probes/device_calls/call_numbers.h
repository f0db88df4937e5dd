// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a device calls its calls, as a trace numbers them.
#pragma once

#include <cstdint>

#include "probes/trace/assay_trace.h"
#include "runtime/device/records.h"

namespace assay::probes {

constexpr std::uint8_t op_of(device::operation_kind kind) {
  switch (kind) {
    case device::operation_kind::copy:
      return ASSAY_OP_COPY;
    case device::operation_kind::launch:
      return ASSAY_OP_LAUNCH;
    case device::operation_kind::event_record:
      return ASSAY_OP_EVENT;
    case device::operation_kind::event_wait:
      return ASSAY_OP_WAIT;
    case device::operation_kind::synchronize:
      return ASSAY_OP_SYNC;
  }
  return 0;
}

/// 0 for what is no copy.
constexpr std::uint8_t direction_of(device::operation_kind kind, device::copy_direction direction) {
  if (kind != device::operation_kind::copy) return 0;
  switch (direction) {
    case device::copy_direction::h2d:
      return ASSAY_H2D;
    case device::copy_direction::d2h:
      return ASSAY_D2H;
    case device::copy_direction::d2d:
      return ASSAY_D2D;
  }
  return 0;
}

/// ns inside the call, up to the moment that is told; 0: nobody stamped its begin.
constexpr std::int64_t call_ns_of(const device::memory_record& record) {
  if (record.call_start_ns == 0) return 0;
  const std::int64_t took_ns = record.at_ns - record.call_start_ns;
  return took_ns > 0 ? took_ns : 1;  // two reads of one tick
}

}  // namespace assay::probes
