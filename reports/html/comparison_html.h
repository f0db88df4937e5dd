// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A comparison as one page.
#pragma once

#include <string>

#include "reports/model/comparison_report.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// Every row, with its interval drawn; the controls, what was not measured and cannot have been
/// seen, and the facts of the run. Foreign text is inert. Units: human. Errors: none. Pure: the
/// same report gives the same bytes.
std::string comparison_as_html(const model::comparison_report& report, model::outcome outcome);

}  // namespace assay::reports
