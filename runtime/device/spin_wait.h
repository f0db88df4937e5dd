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
/// Overhead: advance() 8 ns where nobody sleeps, one futex call (1–3 µs) where somebody does.
class progress {
 public:
  std::uint64_t reached() const noexcept { return count_.load(std::memory_order_acquire); }

  /// Publishes `count` and wakes whoever sleeps. `count` never falls.
  void advance(std::uint64_t count) noexcept {
    note_core();
    count_.store(count, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) != 0) [[unlikely]]
      wake();
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
  void wake() noexcept;
  void wait_slowly(std::uint64_t target, std::int64_t spin_ns) const noexcept;
  bool spin(std::uint64_t target, std::int64_t spin_ns) const noexcept;

  alignas(64) std::atomic<std::uint64_t> count_{0};
  std::atomic<int> core_{-1};  // where the advancing thread was last seen
  // Set by a waiter before it sleeps, taken by the one advance that wakes: while a woken thread is
  // on its way to a core, further advances pay no futex call.
  mutable std::atomic<std::uint32_t> sleeping_{0};
  std::atomic<std::uint32_t> wakes_{0};  // the futex word
};

}  // namespace assay::device
