// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a decode under a limit claims of its weights, beside the closed form; nobody audited it.
#pragma once

#include <string>

#include "runtime/telemetry/registry.h"
#include "scenarios/paging_ledger.h"

namespace assay::cli {

/// A line a counter of runtime.paging and runtime.embedding, zeros and absences included, and below
/// them what must have crossed the link over load and `passes`, of which some go without the head.
std::string paging_claims(const telemetry::registry& counters,
                          const scenarios::paging_shape& expected, std::int64_t passes,
                          std::int64_t headless_passes);

}  // namespace assay::cli
