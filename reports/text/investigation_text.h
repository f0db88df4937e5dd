// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An investigation for a terminal.
#pragma once

#include <string>

#include "reports/model/investigation.h"
#include "reports/model/investigation_difference.h"
#include "reports/text/audit_text.h"

namespace assay::reports {

/// Headline, tables, and what the report cannot tell. Foreign text is made fit for a terminal.
/// Pure: the same report gives the same bytes.
std::string investigation_as_text(const model::investigation& report,
                                  const text_options& options = {});

/// Two of them side by side, likewise.
std::string difference_as_text(const model::investigation_difference& report,
                               const text_options& options = {});

}  // namespace assay::reports
