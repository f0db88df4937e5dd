// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An investigation as Markdown.
#pragma once

#include <string>

#include "reports/model/investigation.h"
#include "reports/model/investigation_difference.h"

namespace assay::reports {

/// The same sections as every form. Foreign text is inert. Pure: the same report gives the same
/// bytes.
std::string investigation_as_markdown(const model::investigation& report);

/// Two of them side by side, likewise.
std::string difference_as_markdown(const model::investigation_difference& report);

}  // namespace assay::reports
