// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From a trace file to a report: the one way, whether the run was ours a second ago or anybody's.
#pragma once

#include <span>
#include <string>

#include "probes/trace/sink.h"
#include "reports/model/audit_report.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Those `beside` the auditor take the same trace in the same pass, each piece after it did.
/// Errors: unusable_input or io, where the file is no trace or cannot be read; interrupted, where
/// it was cut off before there was anything to judge; what `beside` returns. A trace that was cut
/// off later is audited as far as it goes; the report says that it is not whole.
result<model::audit_report> audit_file(const std::string& path,
                                       std::span<trace::sink* const> beside = {});

}  // namespace assay::cli
