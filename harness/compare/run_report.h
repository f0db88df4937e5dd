// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From a log to the report: the one path, whether the run has just ended or is read from its file.
#pragma once

#include "harness/compare/run_record.h"
#include "reports/model/comparison_report.h"

namespace assay::compare {

/// Judges what the log has. An incomplete one gives a report that says so. Pure.
model::comparison_report report_of(const run_log& log);

}  // namespace assay::compare
