// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/void_map.h"

#include "harness/audit/counter_judge.h"

namespace assay::audit {
namespace {

bool is_time(const counter_spec& spec) {
  return spec.is_timed();
}

std::string reason_for_claim(const void_map& voids, const counter_spec& spec) {
  if (spec.claims.kind == telemetry::activity::memory) {
    for (int slot = 0; slot < range_slots; ++slot)
      if (takes_in(spec.claims.range, slot) &&
          !voids.memory[static_cast<std::size_t>(slot)].empty())
        return voids.memory[static_cast<std::size_t>(slot)];
    return {};
  }
  for (const int at : cells_of(spec.claims)) {
    const auto cell = static_cast<std::size_t>(at);
    if (!voids.cell[cell].empty()) return voids.cell[cell];
    if (is_time(spec) && !voids.cell_times[cell].empty()) return voids.cell_times[cell];
  }
  return {};
}

// The bracket of a counter's work is made of events that carry the work's label or none.
std::string reason_for_bracket(const void_map& voids, const counter_spec& spec) {
  for (int slot = 0; slot < range_slots; ++slot) {
    if (slot != 0 && !takes_in(spec.claims.range, slot)) continue;
    const auto cell = static_cast<std::size_t>(cell_of(ASSAY_OP_EVENT, 0, slot));
    if (!voids.cell[cell].empty()) return voids.cell[cell];
    if (!voids.cell_times[cell].empty()) return voids.cell_times[cell];
  }
  return {};
}

std::string reason_for(const void_map& voids, const counter_spec& spec,
                       const reference_evidence& reference) {
  const std::string& by_source = voids.source[static_cast<std::size_t>(reference.source)];
  if (!by_source.empty()) return by_source;
  if (reference.source == ASSAY_SOURCE_HARNESS_EVENTS && spec.claims.range != telemetry::range::any)
    return voids.event_spans[static_cast<std::size_t>(spec.claims.range)];
  // One that was made of several ranges' events is worth no more than the worst of them.
  if (reference.source == ASSAY_SOURCE_HARNESS_EVENTS)
    for (const std::string& each : voids.event_spans)
      if (!each.empty()) return each;
  const bool is_device =
      reference.source == ASSAY_SOURCE_DEVICE_RECORDS || reference.source == ASSAY_SOURCE_EVENTS;
  if (!is_device) return {};
  const bool is_own_memory =
      reference.is_derived && spec.claims.kind == telemetry::activity::memory;
  if (!voids.no_records.empty() && !is_own_memory) return voids.no_records;
  if (!voids.all_device.empty()) return voids.all_device;
  if (is_time(spec) && !voids.all_times.empty()) return voids.all_times;
  if (reference.rests_on_gaps && !voids.gaps.empty()) return voids.gaps;
  if (reference.rests_on_wrong_times && !voids.wrong_times.empty()) return voids.wrong_times;
  std::string reason = reason_for_claim(voids, spec);
  if (reason.empty() && reference.is_derived && reference.source == ASSAY_SOURCE_EVENTS)
    reason = reason_for_bracket(voids, spec);
  return reason;
}

// A level or a time that nothing was compared with for want of records is not merely unmeasured: it
// would have been, and why it was not is known.
void add_missing_records(const void_map& voids, counter_evidence& counter) {
  if (voids.no_records.empty() || !counter.spec.has_claim() || !counter.was_measured) return;
  // The device tells of its memory itself.
  if (counter.spec.claims.kind == telemetry::activity::memory) return;
  const bool is_span = counter.spec.claims.measure == telemetry::measure::span;
  reference_of(counter, ASSAY_SOURCE_DEVICE_RECORDS, is_span ? ASSAY_NEAR : ASSAY_EQUAL, true)
      .void_reason = voids.no_records;
}

}  // namespace

void blame(std::string& scope, const std::string& reason) {
  if (scope.empty()) scope = reason;
}

void apply(const void_map& voids, evidence& on) {
  for (counter_evidence& counter : on.counters) {
    add_missing_records(voids, counter);
    for (reference_evidence& reference : counter.references)
      blame(reference.void_reason, reason_for(voids, counter.spec, reference));
  }
}

}  // namespace assay::audit
