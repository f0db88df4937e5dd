// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The memory of the host device: one mapping with a byte limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/device/observer.h"
#include "runtime/device/records.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

/// First-fit allocator over one anonymous mapping; neighbours merge when they are freed.
/// Units: grants are rounded up to 64 bytes, and the limit counts what is granted.
/// Errors: out_of_memory, naming limit, live, asked and the largest free block; usage for 0 bytes
/// and for an address that is not a live buffer's.
/// Ownership: the mapping lives as long as the arena. Pages are touched by whoever writes first.
/// Threads: all members may be called from any thread. The observer is told inside the lock, so
/// memory records come in the order in which the arena changed.
class host_arena {
 public:
  static constexpr std::uint64_t alignment_bytes = 64;

  struct grant {
    std::byte* address = nullptr;
    std::uint64_t bytes = 0;  ///< as granted
  };

  static result<std::unique_ptr<host_arena>> create(std::uint64_t limit_bytes);
  ~host_arena();
  host_arena(const host_arena&) = delete;
  host_arena& operator=(const host_arena&) = delete;

  result<grant> allocate(std::uint64_t bytes, range_label range, observer* who);
  result<void> free(const std::byte* address, range_label range, observer* who);

  std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }
  std::uint64_t live_bytes() const;

  /// Do all of the `bytes` bytes from `address` lie in the arena?
  bool contains(const void* address, std::uint64_t bytes) const noexcept;
  /// Does any of them?
  bool touches(const void* address, std::uint64_t bytes) const noexcept;
  /// Direction of a copy, from where its two ends lie. One of them is in the arena.
  copy_direction direction_of(const void* destination, const void* source) const noexcept;

 private:
  host_arena(std::byte* base, std::uint64_t mapped_bytes, std::uint64_t limit_bytes);
  error out_of_memory(std::uint64_t asked_bytes) const;
  void give_back(std::uint64_t offset, std::uint64_t bytes);

  std::byte* const base_;
  const std::uint64_t mapped_bytes_;
  const std::uint64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> free_;  // offset -> bytes; never two neighbours
  std::map<std::uint64_t, std::uint64_t> live_;  // offset -> bytes granted
  std::uint64_t live_bytes_ = 0;
};

}  // namespace assay::device
