// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Intervals of time, half open, in ns.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::audit {

struct interval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// Time that at least one interval covers. Empty and backward intervals cover nothing. Sorts its
/// argument where it is not sorted by start.
std::int64_t union_ns(std::vector<interval>& intervals);

}  // namespace assay::audit
