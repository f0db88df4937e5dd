// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/window_work.h"

#include <algorithm>

#include "harness/audit/saturating.h"

namespace assay::audit {

void cell_work::add(const cell_work& other) {
  operations = saturating_add(operations, other.operations);
  bytes = saturating_add(bytes, other.bytes);
  weight_bytes = saturating_add(weight_bytes, other.weight_bytes);
  kv_bytes = saturating_add(kv_bytes, other.kv_bytes);
  device_ns = saturating_add(device_ns, other.device_ns);
}

std::int64_t cell_work::of(telemetry::measure measure) const {
  switch (measure) {
    case telemetry::measure::bytes:
      return bytes;
    case telemetry::measure::operations:
      return operations;
    case telemetry::measure::weight_bytes:
      return weight_bytes;
    case telemetry::measure::kv_bytes:
      return kv_bytes;
    default:
      return 0;
  }
}

void window_work::take(const operation& op) {
  cell_work& cell = cells_[static_cast<std::size_t>(cell_of(op.op, op.direction, op.slot))];
  ++cell.operations;
  cell.bytes = saturating_add(cell.bytes, op.moved_bytes);
  cell.weight_bytes = saturating_add(cell.weight_bytes, op.weight_bytes);
  cell.kv_bytes = saturating_add(cell.kv_bytes, op.kv_bytes);
  cell.device_ns = saturating_add(
      cell.device_ns, std::max<std::int64_t>(saturating_sub(op.end_ns, op.start_ns), 0));
}

void window_work::take_call(std::uint8_t op, int slot) {
  call_work& calls = calls_[static_cast<std::size_t>(slot)];
  ++calls.calls;
  if (op == ASSAY_OP_SYNC) ++calls.sync_calls;
}

void window_work::clear() {
  cells_.fill({});
  calls_.fill({});
}

std::int64_t window_work::sum(telemetry::measure measure, const std::vector<int>& cells) const {
  std::int64_t total = 0;
  for (const int at : cells)
    total = saturating_add(total, cells_[static_cast<std::size_t>(at)].of(measure));
  return total;
}

std::int64_t window_work::sum_calls(telemetry::measure measure, telemetry::range claimed) const {
  std::int64_t total = 0;
  for (int slot = 0; slot < range_slots; ++slot) {
    if (!takes_in(claimed, slot)) continue;
    const call_work& calls = calls_[static_cast<std::size_t>(slot)];
    total += measure == telemetry::measure::sync_calls ? calls.sync_calls : calls.calls;
  }
  return total;
}

}  // namespace assay::audit
