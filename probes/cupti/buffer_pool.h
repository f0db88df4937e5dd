// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The fixed memory that a driver writes its records into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace assay::probes {

/// A buffer that came back with records in it.
struct filled_buffer {
  std::uint8_t* data = nullptr;
  std::size_t valid_bytes = 0;
};

/// `count` buffers of `bytes` each, handed out, filled, read, and handed out again. Never grows: a
/// request that finds none is counted, and whoever asked loses what it wanted to write.
/// Each is all zeros when it is handed out: a driver that has to clear one does so inside of the
/// call that it records.
/// Threads: any.
/// Overhead: give_back() clears a whole buffer.
class buffer_pool {
 public:
  buffer_pool(std::size_t count, std::size_t bytes);

  /// Null where all are in use.
  std::uint8_t* take() noexcept;
  /// A buffer with records; or with none, which is free again at once.
  void fill(std::uint8_t* data, std::size_t valid_bytes) noexcept;
  /// The filled buffers, oldest first. Each goes back with give_back().
  std::vector<filled_buffer> filled();
  void give_back(std::uint8_t* data) noexcept;

  std::size_t buffer_bytes() const { return bytes_; }
  std::uint64_t denied_count() const noexcept;

 private:
  const std::size_t bytes_;
  std::unique_ptr<std::uint64_t[]> memory_;  // 8-byte aligned, as CUPTI wants it
  mutable std::mutex mutex_;
  std::vector<std::uint8_t*> free_;
  std::vector<filled_buffer> filled_;
  std::uint64_t denied_ = 0;
};

}  // namespace assay::probes
