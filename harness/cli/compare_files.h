// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A comparison that measures nothing: two files, or the log of a run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/compare/paired_row.h"
#include "harness/compare/row_match.h"
#include "reports/model/comparison_report.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

struct file_comparison {
  std::string base;
  std::string head;  ///< empty: `base` is a log of --out-samples
  std::string metric;
  compare::decision_rules rules{};
  std::vector<compare::row_alias> aliases{};
  std::function<bool(const std::string&)> is_control{};
  bool is_any_environment = false;
};

/// Errors: unusable_input, naming the file, the place in it and the reason.
result<model::comparison_report> compare_files(const file_comparison& what);

/// The logs of a run's shards, judged as one. Errors: as compare_files, and where they are not of
/// one run.
result<model::comparison_report> judge_shards(const std::vector<std::string>& logs);

}  // namespace assay::cli
