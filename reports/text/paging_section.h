// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Weights under a limit, as a table: what was measured, the closed form, the link's ceiling.
#pragma once

#include <string>
#include <vector>

#include "reports/model/audit_report.h"

namespace assay::reports {

/// One line a counter of runtime.paging and runtime.embedding, zeros and absences included, under a
/// line of headings. Empty where the run had no limit.
std::vector<std::string> paging_lines(const model::audit_report& report);

}  // namespace assay::reports
