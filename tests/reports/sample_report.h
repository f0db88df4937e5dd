// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A report that has one of everything, for the tests of the forms.
#pragma once

#include <cstdint>
#include <string>

#include "reports/model/audit_report.h"
#include "reports/model/investigation.h"

namespace assay::reports {

model::quantity number(std::int64_t value);
model::quantity real(double value);
model::quantity absent(std::string reason);

/// Every verdict, every kind of reference, a finding of each severity, a rule that evaluated
/// nothing, a gate that failed, a ceiling that is unknown.
model::audit_report sample_report();

/// Two counters that agree, nothing found.
model::audit_report clean_report();

/// Operators bound by reads and by arithmetic, some without a roof, and prefill.
model::roofline sample_roof();

}  // namespace assay::reports
