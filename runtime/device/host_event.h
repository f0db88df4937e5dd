// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// State of one event of the host device.
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/device/records.h"
#include "runtime/device/spin_wait.h"
#include "runtime/telemetry/clock.h"

namespace assay::device {

/// A place in a stream: reached when the stream has run that many operations.
struct stream_point {
  const progress* completed = nullptr;  ///< null: nowhere, reached from the start
  std::uint64_t sequence = 0;
};

/// Where an event was recorded, and by which call.
struct event_recording {
  stream_point where;
  correlation_id call = 0;  ///< 0: never recorded
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
  /// Notes that the event is recorded; returns the number of this record.
  std::uint64_t note_record(const event_recording& recording) {
    const std::lock_guard lock(mutex_);
    latest_ = recording;
    return ++recorded_;
  }

  /// The stream reached record number `record`.
  void stamp(std::uint64_t record, event_time at) {
    const std::lock_guard lock(mutex_);
    if (record <= stamped_) return;
    stamped_ = record;
    at_ = at;
  }

  /// Place and call in one look: of two, the wait could name another recording than it waits for.
  event_recording latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }

  event_state state() const {
    const std::lock_guard lock(mutex_);
    return {recorded_ != 0, recorded_ != 0 && stamped_ == recorded_, at_};
  }

 private:
  mutable std::mutex mutex_;
  event_recording latest_;
  std::uint64_t recorded_ = 0;
  std::uint64_t stamped_ = 0;
  event_time at_;
};

}  // namespace assay::device
