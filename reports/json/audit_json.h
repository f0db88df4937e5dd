// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The audit for programs.
#pragma once

#include <string>

#include "reports/model/audit_report.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// One JSON object, two-space indented, keys in a fixed order, a newline at its end. Its schema is
/// docs/schema/audit.schema.json.
/// Units: base units, as each counter's `unit` says; integers stay integers. An absent number has
/// no `value` but an `absence` with the reason.
/// `outcome` is the word of the exit code that the process will end with (model::outcome_of gives
/// the audit's own).
/// Errors: none; text that is not UTF-8 gets U+FFFD in place of the broken bytes. Pure.
std::string audit_as_json(const model::audit_report& report, model::outcome outcome);

}  // namespace assay::reports
