// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/activity_cell.h"

#include "runtime/telemetry/catalog.h"

namespace assay::audit {
namespace {

int work_of(telemetry::activity kind) {
  switch (kind) {
    case telemetry::activity::copy:
      return 0;
    case telemetry::activity::launch:
      return 1;
    case telemetry::activity::event:
      return 2;
    default:
      return -1;
  }
}

}  // namespace

std::vector<int> cells_of(const trace::claim_row& claim) {
  std::vector<int> cells;
  const int work = work_of(claim.kind);
  if (work < 0 || claim.measure == telemetry::measure::none) return cells;
  const int wanted = static_cast<int>(claim.dir);
  for (int dir = 0; dir < direction_slots; ++dir) {
    if (wanted != 0 && wanted != dir) continue;
    for (int slot = 0; slot < range_slots; ++slot)
      if (takes_in(claim.range, slot))
        cells.push_back((work * direction_slots + dir) * range_slots + slot);
  }
  return cells;
}

std::string slot_name(int slot) {
  if (slot == 0) return "no range";
  if (slot >= telemetry::range_count) return "unknown range";
  return std::string(to_string(static_cast<telemetry::range>(slot)));
}

std::string cell_name(int cell) {
  static constexpr const char* works[] = {"copy", "launch", "event"};
  const int dir = cell / range_slots % direction_slots;
  std::string name = works[cell / (range_slots * direction_slots)];
  if (dir != 0)
    name += " " + std::string(telemetry::to_string(static_cast<telemetry::direction>(dir)));
  return name + " " + slot_name(slot_of_cell(cell));
}

}  // namespace assay::audit
