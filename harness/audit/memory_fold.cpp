// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/memory_fold.h"

#include <algorithm>

#include "harness/audit/saturating.h"

namespace assay::audit {
namespace {

constexpr std::size_t everything = range_slots;

void raise_live(memory_tally& tally, std::int64_t bytes) {
  tally.live_bytes = saturating_add(tally.live_bytes, bytes);
  tally.peak_bytes = std::max(tally.peak_bytes, tally.live_bytes);
}

}  // namespace

const memory_tally& memory_fold::of(telemetry::range claimed) const {
  if (claimed == telemetry::range::any) return tallies_[everything];
  return tallies_[static_cast<std::size_t>(claimed)];
}

void memory_fold::take(const assay_record& record) {
  const int slot = range_slot(record.range);
  if (record.op == 1)
    allocate(record, slot);
  else
    release(record, slot);
}

void memory_fold::allocate(const assay_record& record, int slot) {
  const bool is_new = buffers_.size() < max_buffers &&
                      buffers_.try_emplace(record.correlation, buffer{record.amount, slot}).second;
  for (const std::size_t at : {static_cast<std::size_t>(slot), everything}) {
    if (at == everything && slot == sentinel_slot) continue;
    memory_tally& tally = tallies_[at];
    ++tally.records;
    ++tally.allocations;
    if (!is_new) ++tally.unmatched;
    raise_live(tally, record.amount);
  }
}

void memory_fold::release(const assay_record& record, int slot) {
  const auto found = buffers_.find(record.correlation);
  const bool is_known = found != buffers_.end();
  // The buffer belongs to the range that allocated it, whoever frees it.
  if (is_known) slot = found->second.slot;
  const bool fits = is_known && found->second.bytes == record.amount;
  if (is_known) buffers_.erase(found);
  for (const std::size_t at : {static_cast<std::size_t>(slot), everything}) {
    if (at == everything && slot == sentinel_slot) continue;
    memory_tally& tally = tallies_[at];
    ++tally.records;
    ++tally.frees;
    if (!fits) ++tally.unmatched;
    tally.live_bytes = saturating_sub(tally.live_bytes, record.amount);
  }
}

void memory_fold::clear_window() {
  for (memory_tally& tally : tallies_) tally.allocations = tally.frees = 0;
}

}  // namespace assay::audit
