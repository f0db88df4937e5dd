// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Waiting for another thread: a bounded spin, then sleep on a futex.
#pragma once

#include <atomic>
#include <cstdint>

namespace assay::device {

/// A count that one thread advances and any number of threads wait for.
/// The spin is bounded by time, and ends at once where whom it waits for was last seen on the
/// spinner's own core: a third runnable thread can drive both onto one core, where a spinner keeps
/// off it the very thread that it waits for.
/// Threads: one advances; all may read and wait.
/// Overhead: advance() 8 ns, and one futex call (1–3 µs) where it reaches what somebody sleeps for:
/// a caller that waits for the last of many operations is woken once, not by each.
class progress {
 public:
  std::uint64_t reached() const noexcept { return count_.load(std::memory_order_acquire); }

  /// Publishes `count` and wakes whoever sleeps for it. `count` never falls.
  void advance(std::uint64_t count) noexcept {
    note_core();
    count_.store(count, std::memory_order_seq_cst);
    if (count >= wake_at_.load(std::memory_order_seq_cst)) [[unlikely]]
      wake(count);
  }

  /// Tells waiters on which core the advancing thread runs now. Called by that thread.
  void note_core() noexcept { core_.store(current_core(), std::memory_order_relaxed); }

  /// Returns when the count is at least `target`: spins for `spin_ns`, then sleeps.
  void wait_for(std::uint64_t target, std::int64_t spin_ns) const noexcept {
    if (reached() >= target) return;
    wait_slowly(target, spin_ns);
  }

 private:
  static int current_core() noexcept;
  void wake(std::uint64_t count) noexcept;
  void wait_slowly(std::uint64_t target, std::int64_t spin_ns) const noexcept;
  void ask_to_be_woken_at(std::uint64_t target) const noexcept;
  bool spin(std::uint64_t target, std::int64_t spin_ns) const noexcept;

  alignas(64) std::atomic<std::uint64_t> count_{0};
  std::atomic<int> core_{-1};  // where the advancing thread was last seen
  static constexpr std::uint64_t nobody = UINT64_MAX;
  // The lowest count that a waiter sleeps for, taken by the one advance that wakes: all waiters
  // wake then, and those that want more put themselves down again.
  mutable std::atomic<std::uint64_t> wake_at_{nobody};
  std::atomic<std::uint32_t> wakes_{0};  // the futex word
};

}  // namespace assay::device
