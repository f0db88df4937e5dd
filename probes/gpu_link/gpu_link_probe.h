// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a GPU's link and memory carry, measured by copies and a kernel of the harness's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probes/gpu_link/link_bounds.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

struct gpu_link_options {
  int device = 0;                                          ///< among the visible ones
  std::uint64_t copy_bytes = std::uint64_t{128} << 20;     ///< pinned, either direction
  std::uint64_t pageable_bytes = std::uint64_t{64} << 20;  ///< not pinned, to the GPU
  std::uint64_t device_set_bytes = std::uint64_t{6}
                                   << 30;  ///< at most, and an eighth of what is free
  int samples = 5;                         ///< of each way, behind one that warms
  /// Asked while a copy runs: the link's generation and width, by NVML's word. Empty: pcie has no
  /// physical bound.
  std::function<result<link_state>()> read_link{};
};

/// The links pcie (pinned memory, both directions), pcie_pageable, device_read and device_copy.
///
/// A pinned copy, a kernel and a copy within the device wait behind a kernel that spins until the
/// host has enqueued all of it, so that no time of the host's is in what two events around them
/// say. A spin that nobody ends ends itself after a second, and its sample is void. A copy out of
/// pageable memory keeps the host busy: its time is the host's span, call to end of work. Every
/// sample's bytes are verified: arrived at the device, their sum; arrived at the host, each word.
/// Memory is read by 16-byte loads from a set of at least three times the L2 cache; where a sample
/// takes several passes over it, the sum holds each of them, and of several copies within the
/// device at least one.
///
/// HARD of pcie: raw_link_bytes_per_s of what read_link says while a copy runs. HARD of
/// device_read: raw_memory_bytes_per_s; of device_copy half of it, as it reads and writes each
/// byte.
///
/// Its operations lie on a stream of its own and carry no range: whoever records the driver's
/// activity drains before and after, and drops what lies between.
/// Ownership: of its memory. calibrate() gives the device set back; what stays is copy_bytes on the
/// device, twice that on the host.
/// Threads: one.
/// Overhead: calibrate 310 ms, sample() 27 ms without the copies for read_link, of which 5 ms are
/// the copies and the rest their check (H200, PCIe of the fifth generation, 2026-12-02).
class gpu_link_probe {
 public:
  /// Errors: unavailable, out_of_memory: CUDA's; usage, where a size is 0 or no multiple of 32 KiB.
  static result<std::unique_ptr<gpu_link_probe>> create(const gpu_link_options& options);
  ~gpu_link_probe();
  gpu_link_probe(const gpu_link_probe&) = delete;
  gpu_link_probe& operator=(const gpu_link_probe&) = delete;

  /// Measures everything. Once, before the run. A device without room for the set leaves the
  /// device's own links without a ceiling, and their reasons say so. Errors: internal, where bytes
  /// did not arrive; the sink's; CUDA's.
  result<void> calibrate(trace::sink& to);

  /// One copy in each direction, and a few more while read_link is asked. Between the steps of the
  /// run.
  result<void> sample(trace::sink& to);

  /// What read_link said while copies of the last sample() or of calibrate() ran. Errors: as it, or
  /// unavailable: the copies had ended before.
  result<link_state> link_under_load() const;

  /// As of now, for the facts of the trace.
  std::vector<trace::link_ceiling> ceilings() const;

 private:
  struct parts;
  explicit gpu_link_probe(std::unique_ptr<parts> all);

  std::unique_ptr<parts> parts_;
};

}  // namespace assay::probes
