// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A comparison as JUnit XML: what a CI system shows as a list of tests.
#pragma once

#include <string>

#include "reports/model/comparison_report.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// One test case a row (its class is the metric), and one for the run as a whole. A regression that
/// was adjudicated is a failure; an advisory one is an error, since nobody knows, and so is a row
/// that errored and a run that is contaminated or incomplete; inconclusive, removed and not
/// comparable rows are skipped, with the reason; the others pass. The outcome and the exit code are
/// properties of the suite.
std::string comparison_as_junit(const model::comparison_report& report, model::outcome outcome);

}  // namespace assay::reports
