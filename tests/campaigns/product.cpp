// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/product.h"

#include <sys/mman.h>

#include <utility>

#include "runtime/telemetry/check.h"

namespace assay::campaigns {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace

huge_block::huge_block(std::size_t bytes) : mapped_bytes_(bytes + huge_page_bytes) {
  raw_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSAY_CHECK(raw_ != MAP_FAILED, "no memory for a product");
  static_cast<void>(madvise(raw_, mapped_bytes_, MADV_HUGEPAGE));
  const auto address = reinterpret_cast<std::uintptr_t>(raw_);
  const std::size_t before = (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
  first_ = static_cast<std::byte*>(raw_) + before;
}

huge_block::~huge_block() {
  if (raw_ != nullptr) munmap(raw_, mapped_bytes_);
}

huge_block::huge_block(huge_block&& other) noexcept
    : raw_(std::exchange(other.raw_, nullptr)),
      first_(other.first_),
      mapped_bytes_(other.mapped_bytes_) {}

std::vector<product_maker> product_makers() {
  std::vector<product_maker> all = own_makers();
  for (const auto& more : {eigen_makers(), onednn_makers()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace assay::campaigns
