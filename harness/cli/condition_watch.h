// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Samples the machine's state while a run goes on, between its windows.
#pragma once

#include <vector>

#include "harness/cli/run_backend.h"
#include "probes/process/condition_probe.h"
#include "probes/trace/sink.h"

namespace assay::cli {

/// Threads: the one that runs the engine, whose core's clock is timed.
/// Overhead: a sample is 0.12 ms on the host; docs/evidence/observer-cost-audit-2026-12-03.md.
class condition_watch {
 public:
  /// Ownership: the backend, which outlives it, has the readers of its device.
  explicit condition_watch(run_backend& backend);

  /// Only while no window is open: what it takes would be the engine's.
  result<void> sample(trace::sink& to) { return probe_.sample(to); }
  /// What could not be sampled, and why.
  std::vector<trace::absent_condition> absent() const { return probe_.absent(); }

 private:
  probes::condition_probe probe_;
};

}  // namespace assay::cli
