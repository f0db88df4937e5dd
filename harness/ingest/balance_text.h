// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Sums of metrics as a contract writes them.
#pragma once

#include <string_view>
#include <vector>

#include "reports/model/guard_contract.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Why a text is no sum.
struct broken_sum {
  std::string what;
};

/// "a + b{state="hit"} - c": a term is a metric, or those of its series that have these labels.
tl::expected<std::vector<model::balance_term>, broken_sum> parse_sum(std::string_view text);

/// "SUM = SUM" or "SUM <= SUM", into `into`.
tl::expected<void, broken_sum> parse_balance(std::string_view text, model::promised_balance& into);

}  // namespace assay::ingest
