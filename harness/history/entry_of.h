// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a history keeps of a report.
#pragma once

#include <string>

#include "harness/history/entry.h"
#include "reports/model/audit_report.h"
#include "reports/model/comparison_report.h"
#include "reports/model/investigation.h"
#include "reports/model/outcome.h"

namespace assay::history {

/// Every counter with what it claimed and its verdict. Pure.
entry entry_of(const model::audit_report& report, model::outcome outcome, std::string commit);

/// Every row with head's number and the row's state. Pure.
entry entry_of(const model::comparison_report& report, model::outcome outcome, std::string commit);

/// Speed, latencies, and what a decode step spent on each part. Pure.
entry entry_of(const model::investigation& report, model::outcome outcome, std::string commit);

}  // namespace assay::history
