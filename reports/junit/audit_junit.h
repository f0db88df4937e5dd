// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The audit as JUnit XML: what a CI system shows as a list of tests.
#pragma once

#include <string>

#include "reports/model/audit_report.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// One test case a counter (its class is the counter's room and subject), one a gate, one a rule,
/// and one for the trace as a whole. Agree passes; disagree is a failure with the findings that say
/// so; undecided is an error, since nobody knows; unmeasured is skipped, with its reason. A finding
/// about no counter fails the case of its rule; of a warning the case says so and passes, as the
/// exit code does. The outcome and the exit code are properties of the suite.
/// Times are absent: an audit has no time of its own a counter.
std::string audit_as_junit(const model::audit_report& report, model::outcome outcome);

}  // namespace assay::reports
