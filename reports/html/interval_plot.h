// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One row's interval as a picture, on an axis that all rows of a table share.
#pragma once

#include <string>
#include <vector>

#include "reports/model/comparison_report.h"

namespace assay::reports {

/// Half of the axis, as |ln(head ÷ base)|: the widest interval or margin of the rows, no less than
/// 5 % and no more than a doubling. What reaches beyond it ends in an arrow.
double plot_reach_ln(const std::vector<model::comparison_row>& rows);

/// Inline SVG with a description for who cannot see it: the margin as a band, no change as a line,
/// interval and estimate over them. Empty where the row has neither. Slower is to the right for
/// times, whatever is better.
std::string interval_plot(const model::comparison_row& row, double reach_ln);

}  // namespace assay::reports
