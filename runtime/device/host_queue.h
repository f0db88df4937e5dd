// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The operations of one stream on their way from the thread that submits to the worker.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/device/operation.h"
#include "runtime/device/spin_wait.h"

namespace assay::device {

/// A ring of operations with one submitter and one worker; neither takes a lock nor allocates.
/// Operations are numbered from 1 in the order of submission: operation n is done when
/// completed().reached() >= n, and it is done only when its observer has been told.
/// Threads: claim/commit on the submitter, front/pop on the worker, the rest anywhere.
class host_queue {
 public:
  /// 1024 operations are several decode steps of a small model; at 256 bytes each the ring stays
  /// within L2.
  static constexpr std::uint64_t capacity = 1024;
  /// A layer's rotation, its two copies and its attention lie between two launches that read
  /// weights.
  static constexpr std::uint64_t looked_ahead = 6;

  explicit host_queue(std::int64_t spin_ns) : spin_ns_(spin_ns) {}

  /// The slot of the next operation. Waits where the ring is full: bounded spin, then sleep.
  operation& claim() noexcept {
    if (next_ - known_completed_ >= capacity) [[unlikely]] {
      completed_.wait_for(next_ - capacity + 1, spin_ns_);
      known_completed_ = completed_.reached();
    }
    return ring_[next_ % capacity];
  }
  /// Number that the claimed operation will have.
  std::uint64_t claimed_sequence() const noexcept { return next_ + 1; }
  /// Hands the claimed operation to the worker.
  void commit() noexcept { submitted_.advance(++next_); }

  /// The oldest operation. Waits where there is none: bounded spin, then sleep.
  const operation& front() noexcept {
    if (known_submitted_ == done_) {
      submitted_.wait_for(done_ + 1, spin_ns_);
      known_submitted_ = submitted_.reached();
      completed_.note_core();
    }
    return ring_[done_ % capacity];
  }
  /// The first launch behind front() that says what it reads, of the few that are queued next; null
  /// where there is none. Valid until it is popped.
  const kernel* launch_ahead() noexcept {
    known_submitted_ = submitted_.reached();
    const std::uint64_t end = std::min(known_submitted_, done_ + 1 + looked_ahead);
    for (std::uint64_t i = done_ + 1; i < end; ++i) {
      const auto* next = std::get_if<kernel>(&ring_[i % capacity].work);
      if (next != nullptr && next->reads != nullptr) return next;
    }
    return nullptr;
  }
  void pop() noexcept { completed_.advance(++done_); }

  std::uint64_t submitted() const noexcept { return submitted_.reached(); }
  const progress& completed() const noexcept { return completed_; }
  /// Waits until operation number `sequence` is done.
  void wait_completed(std::uint64_t sequence) const noexcept {
    completed_.wait_for(sequence, spin_ns_);
  }

 private:
  const std::int64_t spin_ns_;
  progress submitted_;
  progress completed_;
  alignas(64) std::uint64_t next_ = 0;  // the submitter's
  std::uint64_t known_completed_ = 0;   // the submitter's; completed() was at least this
  alignas(64) std::uint64_t done_ = 0;  // the worker's
  std::uint64_t known_submitted_ = 0;   // the worker's; submitted() was at least this
  alignas(64) std::array<operation, capacity> ring_;
};

}  // namespace assay::device
