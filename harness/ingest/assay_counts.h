// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What `assay decode --counts` prints: counts that two runs must agree on to the last digit.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// {"assay_counts": 1, "scenario": …, "rows": [{"name", "unit", "value"} or {"name", "unit",
/// "absence"}]}. A count without a value has failed, with its reason. Of bytes, pages, allocations,
/// copies and launches fewer are better; of everything else a change is a change.
/// Errors: unusable_input, naming the file, the place in it and the reason.
result<model::sample_set> parse_assay_counts(std::string_view text, std::string_view file,
                                             std::string_view metric);

}  // namespace assay::ingest
