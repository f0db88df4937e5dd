// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which pages are free.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::kv {

/// A free list of page numbers 0..capacity-1; the lowest free page of a fresh pool is taken first.
/// Threads: one.
class page_pool {
 public:
  explicit page_pool(std::uint32_t capacity_pages);

  /// A page, or none where all are taken.
  std::optional<std::uint32_t> take();
  void give_back(std::uint32_t page);

  std::uint32_t capacity_pages() const { return capacity_pages_; }
  /// Kept as pages are taken and given back.
  std::uint32_t live_pages() const { return live_pages_; }
  /// Counted afresh: pages that a walk of the free list does not meet. What it differs from
  /// live_pages by has leaked or was given back twice.
  std::uint32_t live_pages_by_walk() const;

 private:
  std::uint32_t capacity_pages_;
  std::uint32_t live_pages_ = 0;
  std::vector<std::uint32_t> free_;  // taken from the back
};

}  // namespace assay::kv
