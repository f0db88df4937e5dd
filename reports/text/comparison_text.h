// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A comparison for a terminal.
#pragma once

#include <string>

#include "reports/model/comparison_report.h"
#include "reports/text/audit_text.h"

namespace assay::reports {

/// Headline, standing, the rows most urgent first in aligned columns, then controls, notes, what
/// the run cannot have seen, and facts. Every row is there. Units: human (µs, MiB, GB/s, %).
/// Errors: none. Pure: the same report gives the same bytes.
std::string comparison_as_text(const model::comparison_report& report,
                               const text_options& options = {});

}  // namespace assay::reports
