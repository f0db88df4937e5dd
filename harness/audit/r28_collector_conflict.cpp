// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r28_collector_conflict.h"

#include <fmt/format.h>

#include "harness/audit/wording.h"

namespace assay::audit {

rule_outcome collector_conflict(const evidence& from, void_map& voids) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) out.evaluated += counter.spec.has_claim();
  if (from.records_absence.empty()) return out;
  blame(voids.no_records, "R28: " + from.records_absence);
  model::finding found =
      finding_of("R28", "COLLECTOR_CONFLICT", model::severity::warning, "device records");
  found.message = fmt::format("Nobody recorded the device's work: {}.", from.records_absence);
  found.claimed = absent("the ground truth is missing, not a counter");
  found.observed = absent("the ground truth is missing, not a counter");
  out.findings.push_back(std::move(found));
  return out;
}

}  // namespace assay::audit
