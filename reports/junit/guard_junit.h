// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A guard's result as JUnit XML: what a CI system shows as a list of tests.
#pragma once

#include <string>

#include "reports/model/guard_report.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// One test case a check, and one a finding. A check that looked at nothing is skipped, with the
/// reason; a finding that is no warning is a failure; a warning passes and says so. The outcome and
/// the exit code are properties of the suite.
std::string guard_as_junit(const model::guard_report& report, model::outcome outcome);

}  // namespace assay::reports
