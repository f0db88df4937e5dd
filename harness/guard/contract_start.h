// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A contract to begin with.
#pragma once

#include <span>
#include <string>

#include "reports/model/exposition.h"
#include "reports/model/guard_contract.h"

namespace assay::guard {

/// Every metric of the snapshots (oldest first, at least one) with the kind that it publishes and
/// the unit that it or its name says; what stands at 0 is not promised to move. Whatever a guard
/// would find in these very snapshots is written down as known, so that it stays a warning until
/// somebody has looked at it; but for what is wrong with the lines themselves. Pure.
model::guard_contract contract_from(std::span<const model::exposition> snapshots);

/// A contract of metrics as docs/schema/guard-contract.schema.json has it; balances, ratios and
/// ignored are empty.
std::string contract_as_json(const model::guard_contract& contract);

}  // namespace assay::guard
