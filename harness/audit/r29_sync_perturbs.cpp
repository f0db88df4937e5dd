// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r29_sync_perturbs.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
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

// Every wait for any stream.
bool counts_waits(const counter_evidence& counter) {
  const auto& of = counter.spec.claims;
  return of.measure == telemetry::measure::sync_calls && of.range == telemetry::range::any &&
         of.dir == telemetry::direction::any;
}

// The work may wait by itself, between two parts of what is timed. All waits are its own where a
// counter of waits knows of each, and what else tells of them (the ledger, say) of no fewer. A
// program that counts what its timers wait for, and that no ledger contradicts, is believed.
enum class waits_of : std::uint8_t { the_work, somebody, nobody_knows };

waits_of whose_waits(const counter_evidence& counter) {
  bool is_compared = false;
  for (const reference_evidence& reference : counter.references) {
    if (reference.source != ASSAY_SOURCE_DEVICE_RECORDS) continue;
    if (reference.is_void()) return waits_of::nobody_knows;
    is_compared = is_compared || reference.compared() > 0;
  }
  const bool is_contradicted = class_of(counter) != mismatch_class::none;
  return is_compared && !is_contradicted ? waits_of::the_work : waits_of::somebody;
}

}  // namespace

rule_outcome sync_perturbs(const evidence& from, void_map&) {
  rule_outcome out;
  const auto counted = std::find_if(from.counters.begin(), from.counters.end(), counts_waits);
  const waits_of whose =
      counted == from.counters.end() ? waits_of::somebody : whose_waits(*counted);
  if (whose == waits_of::nobody_knows) return out;
  for (const counter_evidence& counter : from.counters) {
    if (counter.spec.kind != telemetry::counter_kind::duration) continue;
    if (counter.spec.blocks_host == telemetry::host_blocking::yes) continue;
    out.evaluated += counter.span_windows;
    if (counter.waits.within > 0 && whose == waits_of::somebody)
      out.findings.push_back(describe(counter));
  }
  return out;
}

}  // namespace assay::audit
