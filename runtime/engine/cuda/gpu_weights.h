// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A checkpoint's weights on a GPU, by the role that each one plays in a decode step.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/graph/decode_step.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// One allocation of a device, given back at the end. The device outlives it.
class gpu_buffer {
 public:
  static result<gpu_buffer> create(device::cuda_device& on, std::uint64_t bytes);
  gpu_buffer() = default;
  ~gpu_buffer();
  gpu_buffer(gpu_buffer&& other) noexcept;
  gpu_buffer& operator=(gpu_buffer&& other) noexcept;
  gpu_buffer(const gpu_buffer&) = delete;
  gpu_buffer& operator=(const gpu_buffer&) = delete;

  std::byte* address() const { return what_.address; }

 private:
  device::cuda_device* device_ = nullptr;
  device::buffer what_;
};

/// Errors: out_of_memory, naming both: a checkpoint larger than the device.
result<void> check_weights_fit(std::uint64_t weights_bytes, std::uint64_t limit_bytes);

/// Ownership: the memory behind every address of `weights`.
struct gpu_weights {
  graph::decode_weights weights;  ///< pages are left null
  ops::cuda::element type = ops::cuda::element::bf16;
  std::uint64_t bytes = 0;   ///< copied
  std::uint64_t copies = 0;  ///< one a tensor
  gpu_buffer buffer;

  /// Copies each weight once and waits for the last.
  /// Errors: out_of_memory, before anything is copied; unusable_input where tensors differ in type
  /// or an architecture has what no kernel covers; the device's own.
  static result<gpu_weights> upload(const checkpoint::checkpoint& from, device::cuda_device& on,
                                    device::stream stream);
};

}  // namespace assay::engine
