// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The hook through which a device reports what it ran.
#pragma once

#include "runtime/device/records.h"

namespace assay::device {

/// Receives records. One observer a device, set before the first submission.
/// Threads: on_call, on_submission and on_memory on the thread that calls the device, on_activity
/// on the stream's worker; all may run at once. Errors: an observer cannot fail its device; what it
/// cannot keep it counts itself. Overhead: inside the call (submission, memory) and between two
/// operations of a stream (activity).
class observer {
 public:
  virtual ~observer() = default;
  /// A call begins on this thread; its submission record follows when it ends. Whoever observes the
  /// driver's calls inside it can then tell whose they are.
  virtual void on_call(correlation_id) noexcept {}
  virtual void on_submission(const submission_record& record) noexcept = 0;
  virtual void on_activity(const activity_record& record) noexcept = 0;
  virtual void on_memory(const memory_record& record) noexcept = 0;
};

}  // namespace assay::device
