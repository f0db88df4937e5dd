// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The sentences that every form of a guard's result shares.
#pragma once

#include <string>

#include "reports/model/guard_report.h"

namespace assay::reports {

/// "12 promises, 340 samples: 3 findings (1 warning), 2 lines skipped, 1 not judged".
std::string guard_headline(const model::guard_report& report);

/// "looked at 340, found 2", or why it looked at nothing.
std::string guard_effort(const model::guard_check& check);

}  // namespace assay::reports
