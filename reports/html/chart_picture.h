// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A chart where no script runs, and on paper.
#pragma once

#include <string>
#include <string_view>

#include "reports/html/chart.h"

namespace assay::reports {

/// Inline SVG of one view with the least and the most of each line in words beside it. Of places
/// that share a column of pixels the least and the most value are drawn. Precondition: as
/// html_chart.
std::string chart_picture(std::string_view title, const chart_view& view);

}  // namespace assay::reports
