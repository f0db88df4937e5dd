// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv/page_pool.h"

#include "runtime/telemetry/check.h"

namespace assay::kv {

page_pool::page_pool(std::uint32_t capacity_pages) : capacity_pages_(capacity_pages) {
  free_.reserve(capacity_pages);
  for (std::uint32_t page = capacity_pages; page > 0; --page) free_.push_back(page - 1);
}

std::optional<std::uint32_t> page_pool::take() {
  if (free_.empty()) return std::nullopt;
  const std::uint32_t page = free_.back();
  free_.pop_back();
  ++live_pages_;
  return page;
}

void page_pool::give_back(std::uint32_t page) {
  ASSAY_CHECK(page < capacity_pages_ && live_pages_ > 0, "a page that the pool never gave");
  free_.push_back(page);
  --live_pages_;
}

std::uint32_t page_pool::live_pages_by_walk() const {
  std::vector<bool> is_free(capacity_pages_, false);
  for (const std::uint32_t page : free_) is_free[page] = true;
  std::uint32_t live = 0;
  for (const bool free : is_free) live += free ? 0 : 1;
  return live;
}

}  // namespace assay::kv
