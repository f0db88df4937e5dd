// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r29_sync_perturbs.h"

#include <fmt/format.h>

#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

model::finding describe(const counter_evidence& counter) {
  model::finding found =
      finding_of("R29", "SYNC_PERTURBS", model::severity::warning, counter.spec.name);
  found.message = fmt::format(
      "{} is said not to wait for the device, and {} waits lie between the calls that it times, in "
      "{} of {} windows, first in {}.",
      counter.spec.name, counter.waits.within, counter.waits.windows, counter.span_windows,
      to_string(counter.waits.first));
  found.claimed = absent("no figure: the contract's blocks_host is no");
  found.observed = quantity_of(number::of(static_cast<std::int64_t>(counter.waits.within)));
  found.unit = to_string(unit::count);  // of waits; the counter is a time
  found.likely_cause = "a timer that waits for each operation, and slows what it measures";
  found.where = to_string(counter.waits.first);
  found.window_count = counter.waits.windows;
  return found;
}

}  // namespace

rule_outcome sync_perturbs(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (counter.spec.kind != telemetry::counter_kind::duration) continue;
    if (counter.spec.blocks_host == telemetry::host_blocking::yes) continue;
    out.evaluated += counter.span_windows;
    if (counter.waits.within > 0) out.findings.push_back(describe(counter));
  }
  return out;
}

}  // namespace assay::audit
