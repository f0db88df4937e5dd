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

/// Takes the calling thread's account at the start and gives what was added since.
/// Threads: the one that runs the engine. Overhead: 2 µs a reading.
class caller_account {
 public:
  /// Errors: unavailable, where the kernel keeps no accounts: such a machine cannot judge times.
  static result<caller_account> open();

  result<void> start();
  result<thread_time> since_start() const;

 private:
  explicit caller_account(probes::thread_probe probe) : probe_(std::move(probe)) {}
  probes::thread_probe probe_;
  probes::thread_account begin_;
  std::int64_t begin_steal_ns_ = 0;
};

/// CPU time of the calling thread so far, to the ns. Overhead: a system call, 0.3 µs.
std::int64_t thread_cpu_ns();

/// Sum of two brackets of one thread.
inline thread_time operator+(const thread_time& a, const thread_time& b) {
  return {a.run_ns + b.run_ns, a.wait_ns + b.wait_ns, a.steal_ns + b.steal_ns};
}

}  // namespace assay::cli
