// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Two files that were measured at some time, somewhere. They can be described, not adjudicated.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/compare/paired_row.h"
#include "harness/compare/row_match.h"
#include "reports/model/comparison_report.h"
#include "reports/model/sample_set.h"

namespace assay::compare {

struct stored_rules {
  decision_rules decision{};
  /// What a machine does to an unchanged build between two runs: ratios of 0.6 to 1.5 were seen
  /// over 16 days of runs in one job each (Quansight). Only what exceeds it is called a change.
  double drift_ratio = 0.50;
  std::vector<row_alias> aliases{};
  /// Rows that cannot have changed; empty where none is known.
  std::function<bool(const std::string& name)> is_control{};
  /// Times are compared although host, CPUs or build type differ.
  bool is_any_environment = false;
};

/// Each row of either set once. Times: the process is the unit, the rank-sum test against the
/// drift, Holm over all rows and directions; what it finds is advisory, and nothing is called
/// unchanged. Exact counts need no pairs and are adjudicated. Pure.
model::comparison_report judge_stored(const model::sample_set& base, const model::sample_set& head,
                                      const stored_rules& rules);

}  // namespace assay::compare
