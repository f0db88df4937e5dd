// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One ring for each thread that produces.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "probes/host_device/record_ring.h"

namespace assay::probes {

/// Finds the calling thread's ring, making it at the thread's first call.
/// Ownership: the rings live as long as the set, also after their thread has ended.
/// Threads: ring_of_this_thread on any thread; rings() and lost_count() on the draining thread.
class ring_set {
 public:
  static constexpr std::size_t max_threads = 64;
  /// Rings that are there before their thread comes: mapping one under a thread's first record
  /// would put milliseconds between that record's work and the next.
  static constexpr std::size_t ready_threads = 4;

  explicit ring_set(std::size_t ring_capacity);
  ring_set(const ring_set&) = delete;
  ring_set& operator=(const ring_set&) = delete;

  /// Null if there are too many threads already or no memory is left. Takes a lock at a thread's
  /// first call only, and allocates for the threads beyond ready_threads; the caller keeps the
  /// answer (see ring_cache).
  record_ring* ring_of_this_thread() noexcept;

  /// Counts a record for which there was no ring.
  void count_without_ring() noexcept { without_ring_.fetch_add(1, std::memory_order_relaxed); }

  std::span<const std::unique_ptr<record_ring>> rings() const noexcept {
    return std::span(rings_).first(ring_count_.load(std::memory_order_acquire));
  }
  /// Records lost so far, for whatever reason.
  std::uint64_t lost_count() const noexcept;

 private:
  std::unique_ptr<record_ring> new_ring() noexcept;

  std::size_t capacity_;
  std::vector<std::unique_ptr<record_ring>> ready_;
  std::mutex making_;
  std::array<std::unique_ptr<record_ring>, max_threads> rings_;
  std::atomic<std::size_t> ring_count_{0};
  std::atomic<std::uint64_t> without_ring_{0};
};

}  // namespace assay::probes
