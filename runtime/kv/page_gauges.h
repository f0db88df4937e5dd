// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a store of pages says of itself: levels, kept edge by edge and counted afresh, and totals.
#pragma once

#include <cstdint>
#include <string>

namespace assay::kv {

/// Levels. Kept as pages change hands, because a walk costs as much as there are pages; a walk
/// counts the same numbers from the tables and the free lists (page_store::walk).
/// Always: live = device + host; held entries = live pages + every holder beyond the first.
struct page_gauges {
  std::uint64_t held_entries = 0;  ///< entries of all block tables
  std::uint64_t live_pages = 0;    ///< pages that one table or more holds
  std::uint64_t shared_pages = 0;  ///< pages that two tables or more hold
  std::uint64_t device_pages = 0;  ///< live ones on the device
  std::uint64_t host_pages = 0;    ///< live ones on the host
  std::uint64_t device_bytes = 0;
  std::uint64_t host_bytes = 0;
  std::uint64_t free_device_pages = 0;
  std::uint64_t free_host_pages = 0;
  std::uint64_t set_apart_pages = 0;  ///< slots that a failed copy may still be writing

  bool operator==(const page_gauges&) const = default;
};

std::string to_string(const page_gauges& gauges);

/// Totals since the store was made. Bytes and copies are those that were submitted.
struct page_tally {
  std::uint64_t allocated_pages = 0;  ///< got their first holder
  std::uint64_t freed_pages = 0;      ///< lost their last one
  std::uint64_t copied_pages = 0;     ///< copied because a write met a page that others hold
  std::uint64_t copy_bytes = 0;
  std::uint64_t copy_copies = 0;
  std::uint64_t spilled_pages = 0;  ///< device to host
  std::uint64_t filled_pages = 0;   ///< host to device
  std::uint64_t spill_bytes = 0;
  std::uint64_t fill_bytes = 0;
  std::uint64_t spill_copies = 0;
  std::uint64_t fill_copies = 0;
};

}  // namespace assay::kv
