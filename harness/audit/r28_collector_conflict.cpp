// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r28_collector_conflict.h"

#include <fmt/format.h>

#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

// One pass without a call may be a cache's doing; three in a row at the very end are not.
constexpr std::uint64_t mute_min_windows = 3;

model::finding about_records(std::string message, const char* why) {
  model::finding found =
      finding_of("R28", "COLLECTOR_CONFLICT", model::severity::warning, "device records");
  found.message = std::move(message);
  found.claimed = absent(why);
  found.observed = absent(why);
  return found;
}

model::finding records_that_stop(const mute_tally& mute, void_map& voids) {
  const std::string why = fmt::format(
      "from {} on neither a call nor a record came, in {} passes to the end, where {} before had "
      "them",
      to_string(mute.first_mute), mute.last_mute, mute.spoke);
  blame(voids.all_device, "R28: " + why);
  blame(voids.gaps, "R28: " + why);
  model::finding found = about_records(why + ": another collector may have taken them.",
                                       "the ground truth is in doubt, not a counter");
  found.message.front() = 'F';
  found.likely_cause = "callbacks that a second subscriber registered, or a collector that stopped";
  found.where = to_string(mute.first_mute);
  found.window_count = mute.last_mute;
  return found;
}

}  // namespace

rule_outcome collector_conflict(const evidence& from, void_map& voids) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) out.evaluated += counter.spec.has_claim();
  if (!from.records_absence.empty()) {
    blame(voids.no_records, "R28: " + from.records_absence);
    out.findings.push_back(
        about_records(fmt::format("Nobody recorded the device's work: {}.", from.records_absence),
                      "the ground truth is missing, not a counter"));
    return out;
  }
  out.evaluated += from.mute.passes;
  if (from.mute.spoke > 0 && from.mute.last_mute >= mute_min_windows)
    out.findings.push_back(records_that_stop(from.mute, voids));
  return out;
}

}  // namespace assay::audit
