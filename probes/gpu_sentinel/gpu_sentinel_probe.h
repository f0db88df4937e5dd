// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Known-answer operations on a GPU: if the driver's records of these are wrong, its other records
// prove nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "probes/gpu_sentinel/gpu_fingerprint.h"
#include "probes/trace/sink.h"
#include "runtime/device/device.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// What the device interface does not have. on_cuda_stream() has it for a GPU.
struct gpu_sentinel_backend {
  /// Enqueues the fingerprint kernel on the run's stream; `at` lies in device memory.
  std::function<result<void>(gpu_fingerprint* at, std::int64_t spin_ns)> launch;
  /// Host memory that the copy engines reach: a copy of it is one copy, whatever its size.
  std::function<result<std::shared_ptr<std::byte>>(std::uint64_t bytes)> host_memory;
};

/// `native_stream` is the cudaStream_t of the stream that the probe is given. Its device is current
/// on the calling thread.
gpu_sentinel_backend on_cuda_stream(void* native_stream);

/// As probes/sentinel, on a GPU: the same calls in the same order, the same three ASSAY_SENTINEL
/// records an issue (known_answer.h). The launch is one of gpu_fingerprint_blocks blocks of one
/// thread; extra[1] of its record are the ns from its first block's clock read to its last's.
/// Copies and memory go through the device and carry range sentinel; the launch goes to the stream
/// itself, while that range is open.
///
/// Shapes: one buffer of min(64 MiB, limit / 16) + 4,099 bytes on the device, two on the host.
/// Ownership: the device outlives the probe, which frees its buffer there.
/// Threads: the one that submits to the stream.
/// Overhead: 14.6 ms an issue, of which 2.4 ms are the copies; the rest is the host, which writes a
/// word in each 256 bytes and compares all of them (H200, PCIe of the fifth generation,
/// 2026-12-02).
class gpu_sentinel_probe {
 public:
  static constexpr std::int64_t interval_ns = 1'000'000'000;
  static constexpr std::int64_t spin_ns = 200'000;

  /// The most that it takes of a device, whatever the limit.
  static std::uint64_t most_bytes();

  /// Errors: out_of_memory, where the device's limit has no room for the buffer; those of the
  /// backend.
  static result<std::unique_ptr<gpu_sentinel_probe>> create(device::device& on,
                                                            device::stream stream,
                                                            gpu_sentinel_backend backend);
  ~gpu_sentinel_probe();
  gpu_sentinel_probe(const gpu_sentinel_probe&) = delete;
  gpu_sentinel_probe& operator=(const gpu_sentinel_probe&) = delete;

  bool is_due(host_time now) const { return !issued_at_ || now - *issued_at_ >= interval_ns; }

  /// Runs the operations and waits for them. Wrong content is no error: report() says it.
  /// Errors: those of the device and the backend, where one was refused.
  result<void> issue();

  /// Writes three ASSAY_SENTINEL records for each issue since the last report.
  result<void> report(trace::sink& to);

  std::uint64_t copy_bytes() const { return there_.bytes; }
  /// Did the last issue come back as it must?
  bool is_intact() const { return is_intact_; }

 private:
  gpu_sentinel_probe(device::device& on, device::stream stream, gpu_sentinel_backend backend,
                     device::buffer there);

  std::span<std::byte> sent() const { return {sent_.get(), there_.bytes}; }
  std::span<std::byte> received() const { return {received_.get(), there_.bytes}; }
  void mark();
  result<void> round_trip();
  void judge(host_time from);

  device::device& on_;
  device::stream stream_;
  gpu_sentinel_backend backend_;
  device::buffer there_;
  std::shared_ptr<std::byte> sent_;      // a fingerprint that nobody has touched, then a pattern
  std::shared_ptr<std::byte> received_;  // what came back
  std::uint64_t issue_count_ = 0;
  std::optional<host_time> issued_at_;
  bool is_intact_ = false;
  std::vector<assay_record> unreported_;
};

}  // namespace assay::probes
