// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A comparison that measures: from what to start to the report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/cli/audited_run.h"
#include "harness/cli/measured_files.h"
#include "harness/compare/paired_run.h"
#include "harness/compare/run_record.h"
#include "reports/model/comparison_report.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

struct measured_comparison {
  compare::decision_rules rules{};
  compare::run_limits limits{};
  std::vector<compare::run_subject> subjects{};
  std::vector<model::fact> facts{};
  compare::output_reader reader{};
  measured_files programs{};  ///< that must not change meanwhile
  bool has_control = true;    ///< the control kernel runs beside the subjects
  std::string
      samples_path{};  ///< the log as JSON lines, written process by process; empty for none
};

/// Runs the plan with the control kernel beside the subjects, and judges. An interrupted run gives
/// the report of what there is, marked incomplete.
/// Errors: io; unavailable where a program was replaced meanwhile, and then the log ends with that;
/// interrupted never.
result<model::comparison_report> measure_and_judge(const measured_comparison& what,
                                                   const progress& tell);

/// Host name, kernel, processor and the number of cores.
std::vector<model::fact> host_facts();

}  // namespace assay::cli
