// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From a trace file to a report: the one way, whether the run was ours a second ago or anybody's.
#pragma once

#include <string>

#include "reports/model/audit_report.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Errors: unusable_input or io, where the file is no trace or cannot be read; interrupted, where
/// it was cut off before there was anything to judge. A trace that was cut off later is audited as
/// far as it goes; the report says that it is not whole.
result<model::audit_report> audit_file(const std::string& path);

}  // namespace assay::cli
