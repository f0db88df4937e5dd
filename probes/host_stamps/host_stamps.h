// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Events on the host device that the host device has no part in: kernels of the harness's own, each
// of which reads the clock and writes it down.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "probes/cuda_events/event_source.h"
#include "runtime/device/device.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// The executor stamps its events and tells its records: of one moment the two are one party's
/// word. A stamp here is this room's own clock read, in the place of the stream where it was asked
/// for; the executor can run it late, and cannot say when that was.
/// Clock: host. Ownership: the device's queues hold addresses of it: it outlives the device, or
/// what was submitted to the stream has ended. Threads: the one that submits to the stream.
/// Overhead: a launch of one block.
class host_stamps final : public event_source {
 public:
  /// `label`: of the launches, for whoever keeps the harness's own work apart.
  host_stamps(device::device& on, device::stream stream, std::size_t count,
              device::range_label label);

  /// Errors: the device's.
  result<void> record(std::size_t which) override;
  /// Waits for the stream where it has not come there yet.
  result<bool> is_reached(std::size_t which) override;
  result<float> elapsed_ms(std::size_t from, std::size_t to) override;

 private:
  device::device& on_;
  device::stream stream_;
  device::range_label label_;
  std::unique_ptr<std::atomic<std::int64_t>[]> at_ns_;  ///< 0: not reached
};

}  // namespace assay::probes
