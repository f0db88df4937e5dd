// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which pages hold a sequence. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/kv/page_set.h"

namespace assay::kv {

/// Entry i holds positions [i · page_tokens, (i + 1) · page_tokens). In a ring of n entries those
/// positions are in entry i mod n, until the entry is taken again n pages later.
struct block_table {
  std::vector<page_id> pages;
  std::uint32_t tokens = 0;
  std::uint32_t window_tokens = 0;  ///< 0: every token stays
  std::uint32_t ring_pages = 0;     ///< 0: no ring
  std::uint64_t last_use = 0;       ///< by the store's own count of uses

  std::uint32_t entry_of(std::uint32_t page_index) const {
    return ring_pages == 0 ? page_index : page_index % ring_pages;
  }
  /// The first position whose keys and values are still there.
  std::uint32_t first_token() const {
    return ring_pages == 0 || tokens <= window_tokens ? 0 : tokens - window_tokens;
  }
};

}  // namespace assay::kv
