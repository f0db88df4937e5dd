// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A stream with the counters of what is submitted to it.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// Two events around a piece of work, reused by every step.
struct event_pair {
  device::event before;
  device::event after;

  static result<event_pair> create(device::device& on);
};

/// Submits to one stream and writes runtime.device.*: what was accepted is counted here and
/// published when the stream is synchronised, so that a step costs a few counter writes, not one a
/// submission.
/// Threads: one. Ownership: device and writer must outlive it.
class submitter {
 public:
  static result<submitter> create(device::device& on, telemetry::counter_writer& counters);

  result<void> copy(void* destination, const void* source, std::uint64_t bytes,
                    device::copy_direction direction);
  result<void> launch(const device::kernel& what);
  /// Counts as one submission.
  result<void> submit_kernels(std::uint32_t kernels, const device::native_submit& submit);
  result<void> record(device::event what);
  /// Has what follows on this stream wait for `what`; the caller does not. Counts as nothing.
  result<void> wait(device::event what) { return device_->wait_event(stream_, what); }
  /// Counts what was submitted so far, without a wait: for a stream that another one waits for.
  void publish();
  /// Waits for the stream. Counts as one wait, whatever its outcome.
  result<void> synchronize();
  result<std::int64_t> elapsed_ns(const event_pair& pair) const;

  /// Has anything been submitted since the last wait?
  bool has_pending() const { return submissions_ > 0; }
  device::device& device() const { return *device_; }
  device::stream stream() const { return stream_; }

 private:
  submitter(device::device& on, telemetry::counter_writer& counters, device::stream stream)
      : device_(&on), counters_(&counters), stream_(stream) {}

  device::device* device_;
  telemetry::counter_writer* counters_;
  device::stream stream_;
  std::int64_t submissions_ = 0;
  std::int64_t events_ = 0;
};

}  // namespace assay::engine
