// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernel's accounts of the run's threads, as differences over brackets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/cli/references.h"
#include "probes/process/thread_probe.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Takes the threads' accounts at the start and gives what was added since.
/// Threads: the one that runs the engine, which is the caller that is meant.
/// Overhead: 2 µs a thread and reading.
class run_accounts {
 public:
  /// Errors: unavailable, where the kernel keeps no accounts: such a machine cannot judge times.
  static result<run_accounts> open();

  /// From now on the streams' workers too; what they did since they were born counts to the
  /// interval that is open.
  result<void> watch_workers(const std::vector<std::uint32_t>& tids);
  result<void> start();
  result<thread_time> since_start() const;
  /// The caller's account now, as a THREAD record.
  result<assay_record> read_caller() const;
  /// One THREAD record a thread.
  result<void> sample(trace::sink& to) const { return probe_.sample(to); }

 private:
  explicit run_accounts(probes::thread_probe probe) : probe_(std::move(probe)), begin_(1) {}
  probes::thread_probe probe_;
  std::vector<probes::thread_account> begin_;  ///< the caller's first
  std::int64_t begin_steal_ns_ = 0;
};

/// CPU time of the calling thread so far, to the ns. Overhead: a system call, 0.3 µs.
std::int64_t thread_cpu_ns();

}  // namespace assay::cli
