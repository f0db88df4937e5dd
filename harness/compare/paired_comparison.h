// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The whole judgement of a run in pairs.
#pragma once

#include <vector>

#include "harness/compare/paired_row.h"
#include "reports/model/comparison_report.h"

namespace assay::compare {

/// Rows, controls, contamination, and what the run cannot have seen. Facts, notes and completeness
/// are the caller's to add. Pure.
model::comparison_report judge_pairs(const std::vector<paired_row>& rows,
                                     const decision_rules& rules);

/// Numbers of the rows to confirm: those that passed the screen, and every control with them.
/// Empty where none passed.
std::vector<std::size_t> rows_to_confirm(const std::vector<paired_row>& rows,
                                         const decision_rules& rules);

}  // namespace assay::compare
