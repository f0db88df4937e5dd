// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A chart with logarithmic axes where no script runs, and on paper.
#pragma once

#include <string>
#include <string_view>

#include "reports/html/chart.h"

namespace assay::reports {

/// Inline SVG of one view; beside it, and for who hears it, each point in words. What is not above
/// 0 has no place on it. Precondition: as html_chart.
std::string log_picture(std::string_view title, const chart_view& view);

}  // namespace assay::reports
