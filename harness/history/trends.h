// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A history as a report: every series, with the places where it changed.
#pragma once

#include <vector>

#include "harness/history/store.h"
#include "reports/model/trend_report.h"

namespace assay::history {

/// Looks through every series that is long enough, at 5 % for a false change among all of them.
/// Pure.
model::trend_report trends_of(const std::vector<series>& all);

}  // namespace assay::history
