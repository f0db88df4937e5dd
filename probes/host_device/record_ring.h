// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A bounded queue of records between the thread that makes them and the thread that drains.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "probes/trace/assay_trace.h"

namespace assay::probes {

/// One producer, one consumer, fixed memory. A full ring counts what it cannot take.
/// Threads: push on one thread, the rest on one other; both may run at once.
/// Overhead: no system call, no lock, no allocation.
class record_ring {
 public:
  /// `capacity` is a power of two. Null where the memory cannot be had.
  static std::unique_ptr<record_ring> create(std::size_t capacity) noexcept;

  /// The slot for the next record, or null, counted as a drop, if the ring is full. What the slot
  /// holds becomes visible to the consumer with publish().
  assay_record* claim() noexcept {
    if (head_ - known_tail_ > mask_) {
      known_tail_ = tail_.load(std::memory_order_acquire);
      if (head_ - known_tail_ > mask_) {
        // Plain add in two steps: this thread is the only writer.
        dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return nullptr;
      }
    }
    return &slots_[head_ & mask_];
  }
  void publish() noexcept { published_.store(++head_, std::memory_order_release); }

  /// Position behind the newest record that is visible now.
  std::uint64_t published() const noexcept { return published_.load(std::memory_order_acquire); }
  /// The records from the oldest one up to `until`, in order, in at most two pieces.
  std::array<std::span<assay_record>, 2> pending(std::uint64_t until) noexcept;
  /// Position of the oldest record that is still held.
  std::uint64_t released() const noexcept { return tail_.load(std::memory_order_relaxed); }
  /// Gives everything up to `until` back to the producer.
  void release(std::uint64_t until) noexcept { tail_.store(until, std::memory_order_release); }

  /// Records that found the ring full, since the ring was made.
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  /// Number of the thread that produces; never reused, unlike a tid.
  std::uint64_t owner() const noexcept { return owner_; }
  /// Before the ring is shared.
  void give_to(std::uint64_t owner) noexcept { owner_ = owner; }

 private:
  record_ring(std::unique_ptr<assay_record[]> slots, std::size_t capacity) noexcept
      : slots_(std::move(slots)), mask_(capacity - 1) {}

  static constexpr std::size_t cache_line_bytes = 64;

  std::unique_ptr<assay_record[]> slots_;
  std::uint64_t mask_;
  std::uint64_t owner_ = 0;
  // The producer's own line, then what each side tells the other: without the gaps each push would
  // take a line from the consumer.
  alignas(cache_line_bytes) std::uint64_t head_ = 0;
  std::uint64_t known_tail_ = 0;
  std::atomic<std::uint64_t> dropped_{0};
  alignas(cache_line_bytes) std::atomic<std::uint64_t> published_{0};
  alignas(cache_line_bytes) std::atomic<std::uint64_t> tail_{0};
};

}  // namespace assay::probes
