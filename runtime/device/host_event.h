// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// State of one event of the host device.
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/device/spin_wait.h"
#include "runtime/telemetry/clock.h"

namespace assay::device {

/// A place in a stream: reached when the stream has run that many operations.
struct stream_point {
  const progress* completed = nullptr;  ///< null: nowhere, reached from the start
  std::uint64_t sequence = 0;
};

/// What an event knows of its latest record.
struct event_state {
  bool is_recorded = false;
  bool is_reached = false;
  event_time at;  ///< of the latest record; meaningful only where it is reached
};

/// An event: where it was last recorded, and when a stream reached that.
/// Each record has a number of its own, so a stamp of an earlier record is never taken for the
/// latest one's, also where two streams recorded the event.
/// Threads: any.
class event_slot {
 public:
  /// Notes that the event is recorded at `where`; returns the number of this record.
  std::uint64_t note_record(stream_point where) {
    const std::lock_guard lock(mutex_);
    where_ = where;
    return ++recorded_;
  }

  /// The stream reached record number `record`.
  void stamp(std::uint64_t record, event_time at) {
    const std::lock_guard lock(mutex_);
    if (record <= stamped_) return;
    stamped_ = record;
    at_ = at;
  }

  stream_point latest() const {
    const std::lock_guard lock(mutex_);
    return where_;
  }

  event_state state() const {
    const std::lock_guard lock(mutex_);
    return {recorded_ != 0, recorded_ != 0 && stamped_ == recorded_, at_};
  }

 private:
  mutable std::mutex mutex_;
  stream_point where_;
  std::uint64_t recorded_ = 0;
  std::uint64_t stamped_ = 0;
  event_time at_;
};

}  // namespace assay::device
