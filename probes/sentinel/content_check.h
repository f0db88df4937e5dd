// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Looks at device memory and compares it with what should lie there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "probes/trace/sink.h"
#include "runtime/device/device.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Fetches by copies of range `sentinel`, so that no counter has to account for them.
/// Ownership: the device outlives the check.
/// Threads: the one that submits to the stream.
class content_check {
 public:
  content_check(device::device& on, device::stream stream) : on_(on), stream_(stream) {}

  /// Does device memory at `there` hold `expected`? Waits for the stream.
  /// Errors: those of the device; usage, where there is nothing to compare.
  result<bool> compare(const std::byte* there, std::span<const std::byte> expected);

  /// A uint32 that the device keeps at `there`. Waits for the stream. Errors: those of the device.
  result<std::uint32_t> fetch_count(const std::byte* there);

  /// Writes one ASSAY_SENTINEL record of kind fetch for each fetch since the last report, once
  /// the device's observer is drained.
  result<void> report(trace::sink& to);

 private:
  device::device& on_;
  device::stream stream_;
  std::vector<std::byte> fetched_;
  std::vector<assay_record> unreported_;
};

}  // namespace assay::probes
