// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What is missing or doubled in the device records, by cell (gate G4, rule R18).
#pragma once

#include <array>
#include <cstdint>

#include "harness/audit/activity_cell.h"
#include "harness/audit/stream_order.h"

namespace assay::audit {

/// How records of one cell failed to add up.
struct cell_defects {
  std::uint64_t submissions = 0;    ///< accepted calls
  std::uint64_t activities = 0;     ///< records of work
  std::uint64_t lost = 0;           ///< accepted calls without a record of work
  std::uint64_t orphans = 0;        ///< records of work without a call
  std::uint64_t duplicates = 0;     ///< second records of one operation
  std::uint64_t contradictory = 0;  ///< the two records differ in kind, stream or direction, or the
                                    ///< call was refused and ran
  std::uint64_t unstamped = 0;      ///< start and end both 0: unknown, never fast
  std::uint64_t partial = 0;        ///< moved other bytes than asked

  std::uint64_t total() const {
    return lost + orphans + duplicates + contradictory + unstamped + partial;
  }
};

struct completeness {
  std::array<cell_defects, cell_total> cells{};
  /// Orphans whose record carries no range: they void their kind and direction in every range.
  std::array<std::uint64_t, work_kinds * direction_slots> orphans_without_range{};
  std::uint64_t total = 0;      ///< every defect so far, to tell which windows they fell in
  std::uint64_t overflows = 0;  ///< times that more operations were open than the audit keeps
  std::uint64_t unreadable_activities = 0;  ///< records of work of no known operation
};

/// Defects by range slot, and those that no range can be named for.
struct slot_defects {
  std::array<std::uint64_t, range_slots> of_slot{};
  std::uint64_t without_slot = 0;

  static slot_defects of(const completeness& from,
                         const std::array<order_defects, cell_total>& order) {
    slot_defects sums;
    for (const std::uint64_t each : from.orphans_without_range) sums.without_slot += each;
    sums.without_slot += from.overflows + from.unreadable_activities;
    for (int cell = 0; cell < cell_total; ++cell) {
      const auto at = static_cast<std::size_t>(cell);
      sums.of_slot[static_cast<std::size_t>(slot_of_cell(cell))] +=
          from.cells[at].total() + order[at].out_of_order;
    }
    return sums;
  }
  /// Did anything go missing or out of order since `before` among the records of a range, or of one
  /// unknown?
  bool has_grown(const slot_defects& before, telemetry::range range) const {
    if (without_slot != before.without_slot) return true;
    if (range == telemetry::range::any) return of_slot != before.of_slot;
    const auto slot = static_cast<std::size_t>(range);
    return of_slot[slot] != before.of_slot[slot];
  }
};

}  // namespace assay::audit
