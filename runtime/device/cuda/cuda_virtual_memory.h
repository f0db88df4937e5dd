// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Virtual memory of a GPU.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/device/cuda/driver_calls.h"
#include "runtime/device/virtual_memory.h"

namespace assay::device {

/// A page is of the driver's recommended granularity, 2 MiB on an H200.
/// Errors: driver_calls'.
/// Threads: one.
class cuda_virtual_memory final : public virtual_memory {
 public:
  /// Of the GPU with this index among the visible ones; a context must be there.
  static result<std::shared_ptr<virtual_memory>> create(int index, std::uint64_t limit_bytes);

  result<std::byte*> reserve(std::uint64_t bytes) override;
  void give_back(std::byte* at, std::uint64_t bytes) noexcept override;
  result<void> map(std::byte* at, const physical_page& what) override;
  result<void> unmap(std::byte* at) override;

 private:
  cuda_virtual_memory(const driver_calls& calls, const CUmemAllocationProp& kind,
                      std::uint64_t page_bytes, std::uint64_t limit_bytes)
      : virtual_memory(page_bytes, limit_bytes), calls_(calls), kind_(kind) {}
  result<std::uint64_t> create_handle() override;
  void destroy_handle(std::uint64_t handle) noexcept override;

  const driver_calls& calls_;
  CUmemAllocationProp kind_;
};

}  // namespace assay::device
