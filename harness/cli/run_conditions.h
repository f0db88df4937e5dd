// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a run's numbers depend on: the machine, its state before and after, and the ceilings that
// were measured while it ran.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/cli/audited_run.h"
#include "probes/link/link_probe.h"
#include "probes/process/clock_probe.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/result.h"
#include "scenarios/traffic.h"

namespace assay::cli {

/// Threads: the one that runs the engine.
/// Errors: unavailable, where the kernel keeps no accounts.
class run_conditions {
 public:
  static result<run_conditions> open(const run_options& options);

  /// Measures every ceiling once. Before the run; 0.2 s.
  result<void> calibrate(trace::sink& to) { return link_->calibrate(to); }
  /// One sample of each ceiling. Overhead: 1 to 3 ms, outside of windows.
  result<void> sample(trace::sink& to) { return link_->sample(to); }

  std::string facts_before() const { return trace::to_json(before_); }
  /// The ceilings so far. Stated before the work that they bound, or nothing of it is held against
  /// them: an audit reads a trace once.
  std::string facts_of_ceilings() const;
  /// What the scenario must move, once its prompts are ids; an upper bound where the model may stop
  /// it early.
  static std::string facts_of_traffic(const scenarios::expected_traffic& traffic, bool is_exact);
  /// Of one copy between two places in memory, as far as measured; 0 where nobody has it.
  double copy_ceiling_bytes_per_s() const;
  /// Ceilings, and what changed while the run went on.
  std::string facts_after() const;

 private:
  run_conditions() = default;

  trace::run_facts before_;
  probes::wall_reading wall_before_;
  std::int64_t steal_ticks_before_ = 0;
  std::unique_ptr<probes::link_probe> link_;
};

}  // namespace assay::cli
