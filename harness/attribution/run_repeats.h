// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Several runs a side: a run is one number, as what a machine does to a whole process is in no step
// of it. Pure.
#pragma once

#include <vector>

#include "harness/attribution/timed_row.h"
#include "reports/model/investigation_difference.h"

namespace assay::attribution {

/// How often a difference of equal runs may be called one, of all rows together.
inline constexpr double wanted_error_ratio = 0.05;

/// Steps that did the same work in every run: by run, in the order of the first one's.
/// Lifetime: points into the runs.
std::vector<std::vector<const model::pass_line*>> common_steps(
    const std::vector<const model::investigation*>& runs);

/// Fills `times` and `level_ratio`, and `step_ns` of each of the runs. Of launches a second row
/// each: their time at the pace of the other launches of the same step, which takes out what made a
/// whole step or process faster or slower. `firsts` of the runs are the first side's, both sides
/// have one.
void compare_runs(const std::vector<const model::investigation*>& runs, std::size_t firsts,
                  const std::vector<std::vector<const model::pass_line*>>& steps,
                  model::investigation_difference& to);

}  // namespace assay::attribution
