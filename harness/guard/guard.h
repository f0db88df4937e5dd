// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Holds a program's metrics, documents and source against its contract.
#pragma once

#include <span>

#include "harness/guard/checks.h"
#include "harness/guard/name_book.h"
#include "reports/model/exposition.h"
#include "reports/model/guard_contract.h"
#include "reports/model/guard_report.h"

namespace assay::guard {

/// Every check of `with` over what was given. `snapshots` are oldest first and may be none;
/// `documents` and `source` may be null. The contract must be free of contradictions; what it knows
/// of is told as a warning. Pure.
model::guard_report judge(const model::guard_contract& contract,
                          std::span<const model::exposition> snapshots, const name_book* documents,
                          const name_book* source, std::span<const check> with = checks());

}  // namespace assay::guard
