// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The scope in which device activity is tallied, judged and voided: kind, direction, range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/audit/counter_spec.h"
#include "probes/trace/assay_trace.h"

namespace assay::audit {

/// Range labels, and one slot for labels that telemetry::range does not know.
inline constexpr int range_slots = telemetry::range_count + 1;
inline constexpr int sentinel_slot = static_cast<int>(telemetry::range::sentinel);
inline constexpr int direction_slots = 4;
inline constexpr int work_kinds = 3;  ///< copy, launch, event
inline constexpr int cell_total = work_kinds * direction_slots * range_slots;

/// The slot of a label from a record.
constexpr int range_slot(std::uint16_t label) {
  return label < telemetry::range_count ? label : range_slots - 1;
}

/// Does the operation leave an activity record?
constexpr bool leaves_activity(std::uint8_t op) {
  return op >= ASSAY_OP_COPY && op <= ASSAY_OP_EVENT;
}

/// The cell of an operation. Directions other than h2d, d2h, d2d, and those of launches and events,
/// fall into slot 0. Precondition: leaves_activity(op).
constexpr int cell_of(std::uint8_t op, std::uint8_t direction, int slot) {
  const int dir = op == ASSAY_OP_COPY && direction < direction_slots ? direction : 0;
  return ((op - ASSAY_OP_COPY) * direction_slots + dir) * range_slots + slot;
}

constexpr int slot_of_cell(int cell) {
  return cell % range_slots;
}
constexpr bool is_sentinel(int cell) {
  return slot_of_cell(cell) == sentinel_slot;
}
constexpr bool is_copy(int cell) {
  return cell / (direction_slots * range_slots) == 0;
}
constexpr bool is_event(int cell) {
  return cell / (direction_slots * range_slots) == ASSAY_OP_EVENT - ASSAY_OP_COPY;
}

/// Does a claim's range take in a slot? `any` takes in all but the sentinels.
constexpr bool takes_in(telemetry::range claimed, int slot) {
  if (slot == sentinel_slot) return false;
  return claimed == telemetry::range::any || static_cast<int>(claimed) == slot;
}

/// The cells that a claim of copies, launches or events takes in; empty for other claims.
std::vector<int> cells_of(const trace::claim_row& claim);

/// "copy h2d weights", "launch compute", "event any".
std::string cell_name(int cell);

/// "weights", "no range", "unknown range".
std::string slot_name(int slot);

}  // namespace assay::audit
