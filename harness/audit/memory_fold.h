// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Allocations and frees by range: live bytes, their peak, and whether the records fit each other.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "harness/audit/activity_cell.h"
#include "probes/trace/assay_trace.h"

namespace assay::audit {

/// What one range holds, and what happened to it since the last window.
struct memory_tally {
  std::int64_t live_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t allocations = 0;  ///< since clear_window
  std::int64_t frees = 0;        ///< since clear_window
  std::uint64_t records = 0;
  std::uint64_t unmatched = 0;  ///< a free of nothing, or a second allocation at a live address
};

/// Slot range_slots sums all ranges but the sentinels': what a claim of `any` means.
class memory_fold {
 public:
  /// Live buffers that are told apart; beyond it frees go unmatched, which voids.
  static constexpr std::size_t max_buffers = std::size_t{1} << 20;

  void take(const assay_record& record);
  void clear_window();
  const memory_tally& of(telemetry::range claimed) const;
  const memory_tally& of_slot(int slot) const { return tallies_[static_cast<std::size_t>(slot)]; }

 private:
  struct buffer {
    std::int64_t bytes = 0;
    int slot = 0;
  };
  void allocate(const assay_record& record, int slot);
  void release(const assay_record& record, int slot);

  std::array<memory_tally, range_slots + 1> tallies_{};
  std::unordered_map<std::uint64_t, buffer> buffers_;
};

}  // namespace assay::audit
