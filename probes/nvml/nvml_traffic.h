// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Bytes that crossed a GPU's link over an interval, whoever moved them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "probes/nvml/nvml_counter.h"
#include "probes/nvml/nvml_probe.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Adds up what a count gained from reading to reading. Pure.
class nvml_sum {
 public:
  /// A count of 32 bits goes around after 68 ms at the raw rate of a link of the fifth generation
  /// with 16 lanes: two readings further apart do not say how often it did.
  static constexpr std::int64_t widest_gap_ns = 60'000'000;

  void add(const nvml_counter& reading, host_time at);
  /// Errors: unavailable: fewer than two readings, a gap too wide, or a count that went back.
  result<std::uint64_t> amount() const;

 private:
  std::optional<nvml_counter> last_;
  host_time last_at_;
  std::uint64_t readings_ = 0;
  std::uint64_t amount_ = 0;
  std::optional<error> why_not_;
};

struct nvml_traffic {
  std::uint64_t sent_bytes = 0;      ///< by the GPU
  std::uint64_t received_bytes = 0;  ///< by the GPU
};

/// Reads both counts every few milliseconds, so that none goes around unseen.
/// Ownership: the probe outlives it, and nobody else calls it meanwhile.
/// Threads: one of its own, between start() and stop(). Overhead: two calls of NVML a reading, on
/// that thread.
class nvml_traffic_watch {
 public:
  /// Errors: unavailable, where this driver has no such counts.
  static result<std::unique_ptr<nvml_traffic_watch>> start(const nvml_probe& probe);
  ~nvml_traffic_watch();
  nvml_traffic_watch(const nvml_traffic_watch&) = delete;
  nvml_traffic_watch& operator=(const nvml_traffic_watch&) = delete;

  /// Takes a last reading. Errors: as nvml_sum, or NVML's.
  result<nvml_traffic> stop();

 private:
  explicit nvml_traffic_watch(const nvml_probe& probe) : probe_(probe) {}
  result<void> read();
  void watch();

  const nvml_probe& probe_;
  nvml_sum sent_;
  nvml_sum received_;
  std::optional<error> why_not_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace assay::probes
