// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A guard's result for a terminal.
#pragma once

#include <string>

#include "reports/model/guard_report.h"
#include "reports/text/audit_text.h"

namespace assay::reports {

/// Headline, the findings worst first, the lines that were skipped, what could not be judged, how
/// much each check looked at, and facts. Nothing is left out but skipped lines beyond those that
/// the report lists; their number stands. Errors: none. Pure: the same report gives the same bytes.
std::string guard_as_text(const model::guard_report& report, const text_options& options = {});

}  // namespace assay::reports
