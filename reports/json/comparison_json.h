// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A comparison for programs.
#pragma once

#include <string>

#include "reports/model/comparison_report.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// Fits docs/schema/comparison.schema.json. Base units; a number that does not exist is an absence
/// with its reason. Every row is there. Pure: the same report gives the same bytes.
std::string comparison_as_json(const model::comparison_report& report, model::outcome outcome);

}  // namespace assay::reports
