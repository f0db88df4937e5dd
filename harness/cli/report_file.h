// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From a trace file to an investigation, reading it once.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/output_file.h"
#include "reports/model/investigation.h"
#include "reports/model/investigation_difference.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Audits and attributes in one pass, and writes the timeline on the way where one is wanted.
/// Errors: those of audit_file() and of the file.
result<model::investigation> investigate_file(const std::string& path, output_file& timeline);

/// All, one after the other, and how the two sides differ. Errors: those of audit_file(), naming
/// the file.
result<model::investigation_difference> compare_files(const std::vector<std::string>& firsts,
                                                      const std::vector<std::string>& seconds);

}  // namespace assay::cli
