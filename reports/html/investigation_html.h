// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An investigation as one page.
#pragma once

#include <string>

#include "reports/model/investigation.h"
#include "reports/model/investigation_difference.h"

namespace assay::reports {

/// Headline, pictures of the time, tables that sort and filter, and what the report cannot tell.
/// Foreign text is inert, nothing is loaded from anywhere. Pure: the same report gives the same
/// bytes.
std::string investigation_as_html(const model::investigation& report);

/// Two of them side by side, likewise.
std::string difference_as_html(const model::investigation_difference& report);

}  // namespace assay::reports
