// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The trends of a history as one page.
#pragma once

#include <string>

#include "reports/model/trend_report.h"

namespace assay::reports {

/// A plot with a view a series, those with changes first, a line where each lies; the tables of
/// changes and of series. Of very many results a series keeps the extremes of its stretches, and of
/// very many series those that moved least have no plot. Foreign text is inert. Pure.
std::string trends_as_html(const model::trend_report& report);

}  // namespace assay::reports
