// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The catalog of counters as a page: docs/counters.md is this, and a test compares the two.
#pragma once

#include <span>
#include <string>

#include "runtime/telemetry/contract.h"

namespace assay::reports {

/// A table of names, units and kinds, one entry a counter with the whole contract, and what differs
/// on a GPU: both catalogs have the same rows.
/// Errors: none. Pure.
std::string counters_as_markdown(std::span<const telemetry::counter_contract> catalog,
                                 std::span<const telemetry::counter_contract> on_gpu);

}  // namespace assay::reports
