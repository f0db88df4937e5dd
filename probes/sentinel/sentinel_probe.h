// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Known-answer operations: if the device's records of these are wrong, its other records prove
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "probes/trace/sink.h"
#include "runtime/device/device.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Sends a pattern to the device, lets a launch write its fingerprint into it, and fetches both.
/// Between two windows, at start, at end and each second:
///
///     if (sentinel.is_due(host_now())) {
///       issue();                    // on the run's own stream, synchronised
///       drain the device's observer into the trace
///       report(trace);              // so that the SENTINEL records follow what they are about
///     }
///
/// Shapes: one buffer of min(1 MiB, limit / 16) + 4,099 bytes on the device, two on the host.
/// Ownership: the device outlives the probe, which frees its buffer there.
/// Threads: the one that submits to the stream.
/// Overhead: 1.1 ms an issue (AMD EPYC 4th generation under KVM, 2026-12-01).
class sentinel_probe {
 public:
  static constexpr std::int64_t interval_ns = 1'000'000'000;
  static constexpr std::int64_t spin_ns = 200'000;

  /// Bytes that it takes of an arena of that size.
  static std::uint64_t needed_bytes(std::uint64_t arena_bytes);
  /// Errors: out_of_memory, where the arena has no room for the buffer: leave needed_bytes().
  static result<std::unique_ptr<sentinel_probe>> create(device::device& on, device::stream stream);
  ~sentinel_probe();
  sentinel_probe(const sentinel_probe&) = delete;
  sentinel_probe& operator=(const sentinel_probe&) = delete;

  bool is_due(host_time now) const { return !issued_at_ || now - *issued_at_ >= interval_ns; }

  /// Runs the operations and waits for them. Wrong content is no error: report() says it.
  /// Errors: those of the device, where it refused one.
  result<void> issue();

  /// Writes what the issues since the last report must have shown: three ASSAY_SENTINEL records
  /// each (h2d copy, launch, d2h copy; see known_answer.h).
  result<void> report(trace::sink& to);

  std::uint64_t copy_bytes() const { return sent_.size(); }
  /// Did the last issue come back as it must?
  bool is_intact() const { return is_intact_; }

 private:
  sentinel_probe(device::device& on, device::stream stream, device::buffer there);

  result<void> round_trip();
  void judge(host_time from);

  device::device& on_;
  device::stream stream_;
  device::buffer there_;
  // Where the fingerprint lies in the buffer the host sends zeros; the rest is a pattern that
  // differs from issue to issue, so that what an earlier one left behind never passes.
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::uint64_t issue_count_ = 0;
  std::optional<host_time> issued_at_;
  bool is_intact_ = false;
  std::vector<assay_record> unreported_;
};

}  // namespace assay::probes
