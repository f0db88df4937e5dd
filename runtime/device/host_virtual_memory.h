// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Virtual memory of the host: pages of an anonymous file, mapped where they are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device/virtual_memory.h"

namespace assay::device {

/// Reserved addresses are mapped to nothing that can be read; a page is a piece of one memfd, so
/// two mappings of it are one memory.
/// Threads: one.
class host_virtual_memory final : public virtual_memory {
 public:
  /// Errors: unavailable, where the system has no memfd.
  static result<std::shared_ptr<virtual_memory>> create(std::uint64_t limit_bytes);
  ~host_virtual_memory() override;

  result<std::byte*> reserve(std::uint64_t bytes) override;
  void give_back(std::byte* at, std::uint64_t bytes) noexcept override;
  result<void> map(std::byte* at, const physical_page& what) override;
  result<void> unmap(std::byte* at) override;

 private:
  host_virtual_memory(int file, std::uint64_t page_bytes, std::uint64_t limit_bytes)
      : virtual_memory(page_bytes, limit_bytes), file_(file) {}
  result<std::uint64_t> create_handle() override;
  void destroy_handle(std::uint64_t handle) noexcept override;

  int file_;
  std::uint64_t pages_ = 0;          // length of the file
  std::vector<std::uint64_t> free_;  // numbers of pages that were destroyed
};

}  // namespace assay::device
