// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A guard's result for programs.
#pragma once

#include <string>

#include "reports/model/guard_report.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// Fits docs/schema/guard.schema.json. `outcome` is the word of the exit code that the process will
/// end with. Errors: none; bytes that are not UTF-8 become U+FFFD. Pure.
std::string guard_as_json(const model::guard_report& report, model::outcome outcome);

}  // namespace assay::reports
