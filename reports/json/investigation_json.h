// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An investigation for programs; docs/schema/investigation.schema.json.
#pragma once

#include <string>

#include "reports/model/investigation.h"
#include "reports/model/investigation_difference.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// Base units; absent numbers with their reason. The audit is in it, as audit_as_json() has it.
/// Of very many decode steps, `steps` holds those of sampled_steps().
std::string investigation_as_json(const model::investigation& report, model::outcome outcome);

/// Two of them side by side; each whole beneath "first" and "second". Pure.
std::string difference_as_json(const model::investigation_difference& report,
                               model::outcome outcome);

}  // namespace assay::reports
