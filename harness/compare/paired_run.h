// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Runs the plan: screen, then fresh pairs of what passed.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "harness/compare/process_runner.h"
#include "harness/compare/run_record.h"
#include "runtime/telemetry/result.h"

namespace assay::compare {

struct run_limits {
  std::int64_t budget_ns = 0;   ///< no process is started later than this; 0 for no limit
  std::int64_t process_ns = 0;  ///< a process is killed after this; 0 for never
  std::size_t slices = 16;      ///< of a worker, each
  std::int64_t slice_ns = 2'000'000;
  bool is_screen_only = false;  ///< nothing is confirmed: the run is to learn how rows scatter
};

/// What a process that ended well measured. The subject tells which it was.
using output_reader = std::function<result<std::vector<model::sample_row>>(
    const process_ending& ending, const run_subject& subject)>;

struct run_hooks {
  std::function<bool()> is_interrupted;
  std::function<void(std::string_view)> progress;
  /// Called after each process, before the next starts: what was measured is kept.
  std::function<result<void>(const process_record&)> on_record;
  /// Called before each process or pair is started, and after it has ended, before anything of it
  /// is kept. Its error ends the run, which is then incomplete for that reason.
  std::function<result<void>()> check_programs{};
};

/// Adds records to `log`, whose rules and subjects say what to run, and says whether it is
/// complete. A subject that failed once is not run again. Of a budget at most half goes to the
/// screen, or all of it where no row could be confirmed, and for as long as its rows have fewer
/// pairs than say anything. What a process does wrong is a record with a failure. Errors: io, where
/// no process can be started or a record cannot be kept.
result<void> run_pairs(run_log& log, const run_limits& limits, const output_reader& reader,
                       const run_hooks& hooks);

}  // namespace assay::compare
