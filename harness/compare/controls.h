// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Things that cannot have changed between base and head. If one did, the machine did it.
#pragma once

#include <vector>

#include "harness/compare/null_cache.h"
#include "harness/compare/paired_row.h"
#include "reports/model/comparison_report.h"

namespace assay::compare {

/// Every control of a run: the harness's own rows, rows of the same machine code on both sides
/// (both must not differ from 0), and, pooled over the rows, the later against the earlier process
/// of a side within a block (must not drift by more than the margin: a drift below it is what the
/// order of a block cancels). One level, 5 %, for all of them together that have the pairs to be
/// found at it; the others say why they are not judged.
std::vector<model::control_line> judge_controls(const std::vector<paired_row>& rows,
                                                const decision_rules& rules, null_cache& nulls);

}  // namespace assay::compare
