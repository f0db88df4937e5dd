// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/interval.h"

#include <algorithm>

#include "harness/audit/saturating.h"

namespace assay::audit {

std::int64_t union_ns(std::vector<interval>& intervals) {
  const auto by_start = [](const interval& a, const interval& b) {
    return a.start_ns < b.start_ns;
  };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_start))
    std::sort(intervals.begin(), intervals.end(), by_start);
  std::int64_t covered_ns = 0;
  bool any = false;
  std::int64_t reached_ns = 0;
  for (const interval& i : intervals) {
    const std::int64_t from_ns = any ? std::max(i.start_ns, reached_ns) : i.start_ns;
    if (i.end_ns <= from_ns) continue;
    covered_ns = saturating_add(covered_ns, saturating_sub(i.end_ns, from_ns));
    reached_ns = i.end_ns;
    any = true;
  }
  return covered_ns;
}

}  // namespace assay::audit
