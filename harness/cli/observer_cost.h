// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What observing costs a decode step of this run: measured by an arm without the observer, and
// estimated from what writing one record costs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/run_options.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Ratios of observed to unobserved, in millionths, one a block.
struct observer_ratios {
  std::vector<std::int64_t> passes_ppm;  ///< of the engine's call: what the report's times are of
  std::vector<std::int64_t> steps_ppm;   ///< with what the recorder does between two passes
  std::int64_t pass_ns = 0;              ///< of an unobserved pass, the mean
  std::uint64_t records = 0;             ///< that the observed steps left behind
  std::uint64_t observed_steps = 0;
};

/// "median ratio 1.0123, 95 % of …": of at least min_blocks ratios. Sorts. Pure.
std::string ratio_words(std::vector<std::int64_t> ratios_ppm);
inline constexpr std::size_t min_blocks = 8;

/// Decodes on a device and an engine of its own, from the same checkpoint and under the same
/// options, while nothing else runs: steps with all observers of an audited run and steps without
/// any, by turns, on-off-off-on and off-on-on-off, so that drift and a growing context meet both
/// alike. No counter and no trace of the run sees it. A step pays for what the step before it threw
/// out of the caches, whoever observed that one: the figure is then too small.
/// What is seen of a level every sixteen steps is left out.
/// Errors: the engine's; unavailable on a GPU and under a limit. `also` is for tests: more that
/// observing does within each observed pass.
result<observer_ratios> measure_observer(const run_options& options,
                                         std::span<const std::int32_t> prompt,
                                         std::int64_t budget_ns,
                                         const std::function<void()>& also = {});

/// What a record costs by the path that the run's take.
struct record_cost {
  double told_ns = 0.0;     ///< on the thread that did the work, within a pass
  double written_ns = 0.0;  ///< from there into a trace that goes nowhere, between passes
};
result<record_cost> measure_record();

/// A FACTS block with both figures, each in words, or why there is none. Never an error:
/// an audit does not fail because its own cost is not known.
/// `records_a_step`: of the run's decode steps; 0 where it took none.
std::string observer_facts(const run_options& options, std::span<const std::int32_t> prompt,
                           double records_a_step);

}  // namespace assay::cli
