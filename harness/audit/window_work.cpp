// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/window_work.h"

#include "harness/audit/saturating.h"

namespace assay::audit {

void window_work::take(const operation& op) {
  cell_work& cell = cells_[static_cast<std::size_t>(cell_of(op.op, op.direction, op.slot))];
  ++cell.operations;
  cell.bytes = saturating_add(cell.bytes, op.moved_bytes);
  cell.weight_bytes = saturating_add(cell.weight_bytes, op.weight_bytes);
  cell.kv_bytes = saturating_add(cell.kv_bytes, op.kv_bytes);
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
  for (const int at : cells) {
    const cell_work& cell = cells_[static_cast<std::size_t>(at)];
    switch (measure) {
      case telemetry::measure::bytes:
        total = saturating_add(total, cell.bytes);
        break;
      case telemetry::measure::operations:
        total = saturating_add(total, cell.operations);
        break;
      case telemetry::measure::weight_bytes:
        total = saturating_add(total, cell.weight_bytes);
        break;
      case telemetry::measure::kv_bytes:
        total = saturating_add(total, cell.kv_bytes);
        break;
      default:
        break;
    }
  }
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
