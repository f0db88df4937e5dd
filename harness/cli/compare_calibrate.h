// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Floors by measuring: two links of one commit, compared again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/cli/compare_run.h"
#include "harness/compare/calibration.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

struct calibration_wish {
  std::string folder;  ///< where the logs of the runs are kept, one a file; made where it is not
  std::size_t results = compare::fewest_results;  ///< wanted of each row; two a link at least
  std::size_t pairs_a_result = 0;
  std::int64_t budget_ns = 0;  ///< no run begins later than this; 0 for no limit
};

/// Runs `relinks` by turns, of which one run gives each row one result, until every row has as many
/// results as wanted; runs whose logs are in the folder already count. Each run has a seed of its
/// own. Several links of the head, since a row that one other order leaves where it was another
/// may move by a tenth.
/// Returns what the logs give; the caller says how much that is. An interruption ends it, and the
/// next call goes on from there.
/// Errors: unusable_input where both sides of one are the same bytes, or a log is none; io.
result<compare::calibration> calibrate_by_measuring(std::vector<measured_comparison> relinks,
                                                    const calibration_wish& wish,
                                                    const progress& tell);

}  // namespace assay::cli
