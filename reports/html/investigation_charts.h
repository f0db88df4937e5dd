// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What of an investigation is plotted.
#pragma once

#include <string>

#include "reports/model/investigation.h"
#include "reports/model/investigation_difference.h"

namespace assay::reports {

/// Each decode step with its parts; thinned out so that the shortest and the longest step of each
/// stretch stay. Empty where there is no step.
std::string steps_chart(const model::investigation& report);

/// Operators at their intensity, and the roofs above them, both axes logarithmic. Empty where no
/// operator has an intensity and a rate.
std::string roofline_chart(const model::investigation& report);

/// Levels, what counters grew by, and claimed less observed, over the run: one figure each, with a
/// view a counter. What never moved stands in its table alone. Empty where nothing moved.
std::string levels_chart(const model::investigation& report);
std::string flows_chart(const model::investigation& report);
std::string deviations_chart(const model::investigation& report);
/// The machine's state, likewise; of what is counted since long ago, gained between two samples.
std::string machine_chart(const model::investigation& report);

/// The aligned steps of both, and what they differ by. Empty where none is aligned.
std::string difference_chart(const model::investigation_difference& report);

}  // namespace assay::reports
