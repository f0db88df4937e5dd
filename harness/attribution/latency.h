// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Percentiles of a list of times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/model/investigation.h"

namespace assay::attribution {

/// The value at rank ceil(ratio x n), from 1: always one that was measured, never in between.
/// Precondition: `sorted` is sorted and not empty, 0 < ratio <= 1.
std::int64_t nearest_rank_ns(const std::vector<std::int64_t>& sorted, double ratio);

/// A line of them; `absence` stands in it where there are no samples. Sorts `samples`.
model::latency_line latency_of(std::string name, std::vector<std::int64_t>& samples,
                               std::string absence);

}  // namespace assay::attribution
