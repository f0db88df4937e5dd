// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Host memory that the GPU's copy engines reach, and copies out of memory that they do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <cuda_runtime_api.h>

#include "runtime/device/cuda/copying_crew.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

/// Page-locked host memory. Ownership: freed with the object.
class pinned_buffer {
 public:
  /// Errors: out_of_memory, unavailable.
  static result<pinned_buffer> create(std::uint64_t bytes);
  ~pinned_buffer();
  pinned_buffer(pinned_buffer&& other) noexcept;
  pinned_buffer& operator=(pinned_buffer&& other) noexcept;
  pinned_buffer(const pinned_buffer&) = delete;
  pinned_buffer& operator=(const pinned_buffer&) = delete;

  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  pinned_buffer(std::byte* data, std::uint64_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Copies pageable host memory to the device through a ring of pinned pieces: several threads fill
/// them while others are on the link. One device copy a piece, on the caller's thread.
/// Threads: one at a time. Overhead: 32 MiB pinned, and the threads, asleep between copies.
class pinned_staging {
 public:
  static constexpr std::uint64_t piece_bytes = std::uint64_t{2} << 20;
  static constexpr std::size_t pieces = 16;

  /// `threads` beside the caller's that fill. Errors: out_of_memory, unavailable.
  static result<std::unique_ptr<pinned_staging>> create(unsigned threads = threads_here());
  ~pinned_staging();
  pinned_staging(const pinned_staging&) = delete;
  pinned_staging& operator=(const pinned_staging&) = delete;

  /// Half of this machine's, seven at most: eight that copy fill a link of 55 GB/s where each does
  /// 7 to 10.
  static unsigned threads_here();

  /// Returns once `source` has been read; the last pieces may still be on the link, in the order of
  /// the stream. Errors: CUDA's.
  result<void> copy_to_device(cudaStream_t on, void* destination, const void* source,
                              std::uint64_t bytes);

 private:
  pinned_staging(pinned_buffer memory, unsigned threads);
  result<void> open_what_is_free(std::uint64_t sent);
  result<void> send(cudaStream_t on, std::byte* destination, std::uint64_t part);
  result<void> copy_small(cudaStream_t on, void* destination, const void* source,
                          std::uint64_t bytes);

  pinned_buffer memory_;
  cudaEvent_t sent_[pieces] = {};
  std::size_t next_ = 0;  ///< piece that the next copy begins with
  copying_crew crew_;
};

}  // namespace assay::device
