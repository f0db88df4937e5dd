// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A run in pairs as it happened: what was to run, and what each process left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/host_load.h"
#include "harness/compare/paired_row.h"
#include "harness/compare/pairing_plan.h"
#include "reports/model/sample_set.h"

namespace assay::compare {

/// One thing that is started as a process. Where a side's command is empty the side does not have
/// it, and it is not run.
struct run_subject {
  std::string name;
  std::string metric;  ///< of its row, where no process says
  std::vector<std::string> base_command{};
  std::vector<std::string> head_command{};
  bool is_control = false;
  bool is_same_code = false;
  bool is_moved_code = false;  ///< the same functions and data, linked otherwise
  bool is_sliced = false;  ///< its commands are workers: the two of a pair run at once, in turns
  bool is_exact = false;   ///< its rows are counts: one block of processes says all

  bool is_in_both() const { return !base_command.empty() && !head_command.empty(); }
};

/// What one process left. `rows` each have one number, or a failure.
struct process_record {
  compare::stage stage = compare::stage::screen;
  planned_process place{};
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;
  std::optional<std::int64_t> steal_ns{};      ///< while it ran, on all CPUs
  std::optional<std::int64_t> throttled_ns{};  ///< while it ran
  std::optional<double> load_average{};
  std::optional<std::int64_t> frequency_hz{};
  std::string failure{};  ///< why the process as a whole gave nothing
  std::vector<model::sample_row> rows{};
  std::vector<double> slices_ns{};  ///< of a worker: ns a call, in the order of its turns
};

/// The fact that says which programs and libraries were looked after while they were measured.
inline constexpr const char* watched_name = "watched for replacement";

/// The run as a whole. A log that was cut off is not complete, and says why.
struct run_log {
  decision_rules rules{};
  std::vector<run_subject> subjects{};
  std::vector<model::fact> facts{};
  std::vector<process_record> records{};
  bool is_complete = false;
  std::string incompleteness = "the log has no end: the run was killed";
};

}  // namespace assay::compare
