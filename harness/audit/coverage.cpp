// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/coverage.h"

#include <array>

#include "harness/audit/saturating.h"

namespace assay::audit {

coverage coverage_of(const evidence& from) {
  std::array<bool, cell_total> is_claimed{};
  for (const counter_evidence& counter : from.counters)
    for (const int cell : cells_of(counter.spec.claims))
      is_claimed[static_cast<std::size_t>(cell)] = true;
  coverage found;
  for (int at = 0; at < cell_total; ++at) {
    const cell_totals& totals = from.totals[static_cast<std::size_t>(at)];
    if (totals.records == 0 || is_sentinel(at)) continue;
    found.records += totals.records;
    found.device_ns = saturating_add(found.device_ns, totals.device_ns);
    if (is_claimed[static_cast<std::size_t>(at)]) continue;
    found.unclaimed.push_back(at);
    found.unclaimed_ns = saturating_add(found.unclaimed_ns, totals.device_ns);
  }
  return found;
}

}  // namespace assay::audit
