// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a run's numbers depend on: the machine, its state before and after, and the ceilings that
// were measured while it ran.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/audited_run.h"
#include "harness/cli/condition_watch.h"
#include "probes/process/clock_probe.h"
#include "probes/trace/run_facts.h"
#include "runtime/telemetry/fnv1a.h"
#include "runtime/telemetry/result.h"
#include "scenarios/traffic.h"

namespace assay::cli {

/// Token ids that the runtime gave, in the order in which they came, as one number: two runs that
/// gave the same ids have the same.
struct given_ids {
  std::uint64_t count = 0;
  telemetry::fnv1a digest;

  void take(std::int32_t id) {
    ++count;
    digest.take(id);
  }
};

/// What the ledger plans a run by.
struct planned_run {
  const scenarios::model_shape& model;
  const scenarios::cache_shape& cache;
  std::span<const scenarios::request_shape> requests;
  std::optional<scenarios::gpu_mode> on_gpu;
  const scenarios::paging_shape* paging;  ///< null: without a limit
};

/// Threads: the one that runs the engine.
/// Errors: unavailable, where the kernel keeps no accounts.
class run_conditions {
 public:
  /// Ownership: the backend outlives it.
  static result<run_conditions> open(const run_options& options, run_backend& backend);

  /// The machine's state now. Only while no window is open.
  result<void> sample(trace::sink& to) { return watch_.sample(to); }

  std::string facts_before() const { return trace::to_json(before_); }
  /// The ceilings so far. Stated before the work that they bound, or nothing of it is held against
  /// them: an audit reads a trace once.
  static std::string facts_of_ceilings(const run_backend& backend);
  /// What the scenario must move, once its prompts are ids, and what its requests come to; an upper
  /// bound where the model may stop it early.
  static std::string facts_of_traffic(const planned_run& of, bool is_exact);
  /// By what of the model's shape a figure may have been divided, and what a step launches.
  static std::string facts_of_shape(const scenarios::model_shape& model,
                                    telemetry::device_class on);
  /// How the engine came to work as it did.
  static std::string facts_of_engine(std::span<const engine::engine_fact> of);
  /// Of one copy to the device, as far as measured; 0 where nobody has it.
  static double copy_ceiling_bytes_per_s(std::span<const trace::link_ceiling> ceilings,
                                         telemetry::device_class on);
  /// Ceilings, and what changed while the run went on.
  std::string facts_after(const run_backend& backend, const given_ids& given) const;

 private:
  explicit run_conditions(run_backend& backend) : watch_(backend) {}

  condition_watch watch_;
  trace::run_facts before_;
  std::vector<trace::named_fact> settings_before_;
  probes::wall_reading wall_before_;
  std::int64_t steal_ticks_before_ = 0;
};

}  // namespace assay::cli
