// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One call of a device on the caller's thread, and the submission record that it leaves.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/device/observer.h"
#include "runtime/device/records.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

/// Stamps the call's start when it is made and its end when the call is accepted or refused; then
/// tells the observer. Reads no clock where there is none.
class host_call {
 public:
  host_call(observer* who, correlation_id correlation, operation_kind kind, std::uint32_t stream,
            range_label range)
      : who_(who) {
    record_.correlation = correlation;
    record_.kind = kind;
    record_.stream = stream;
    record_.range = range;
    if (who_ == nullptr) return;
    who_->on_call(correlation);
    record_.call_start_ns = host_now().ns;
  }

  void asks_to_copy(std::uint64_t bytes, copy_direction direction) {
    record_.asked_bytes = bytes;
    record_.direction = direction;
  }

  void asks_to_launch(std::uint32_t kernels) { record_.asked_kernels = kernels; }

  /// `recording` is the event's newest as the wait was enqueued.
  void waits_for(correlation_id recording) { record_.awaited = recording; }

  correlation_id correlation() const { return record_.correlation; }

  result<void> accept() {
    finish(true);
    return {};
  }

  result<void> refuse(error why) {
    finish(false);
    return failure(std::move(why));
  }

 private:
  void finish(bool is_accepted) {
    if (who_ == nullptr) return;
    record_.accepted = is_accepted;
    record_.call_end_ns = host_now().ns;
    who_->on_submission(record_);
  }

  observer* who_;
  submission_record record_{};
};

}  // namespace assay::device
