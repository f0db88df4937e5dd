// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What CUDA has to be told of a kernel before its first launch on a device.
#pragma once

#include <atomic>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace assay::ops::cuda {

/// An attribute of a kernel belongs to a device: told once a process, it would be missing on the
/// second one, whose launches then ask for more shared memory than they may have. What was refused
/// is told again at the next launch.
/// Threads: any; two that come first may both tell. Overhead: asking for the current device.
class once_a_device {
 public:
  /// For the calling thread's current device. Errors: `tell`'s, those of asking for the device.
  template <class Tell>
  cudaError_t on_current(const Tell& tell) {
    int device = 0;
    const cudaError_t found = cudaGetDevice(&device);
    return found == cudaSuccess ? on(device, tell) : found;
  }

  template <class Tell>
  cudaError_t on(int device, const Tell& tell) {
    // A device that has no bit is told each time.
    const std::uint64_t bit = device < 0 || device >= 64 ? 0 : std::uint64_t{1} << device;
    if ((told_.load(std::memory_order_acquire) & bit) != 0) return cudaSuccess;
    const cudaError_t code = tell();
    if (code == cudaSuccess) told_.fetch_or(bit, std::memory_order_release);
    return code;
  }

 private:
  std::atomic<std::uint64_t> told_{0};
};

}  // namespace assay::ops::cuda
