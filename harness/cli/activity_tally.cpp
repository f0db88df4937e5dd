// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/activity_tally.h"

#include <algorithm>

namespace assay::cli {
namespace {

void add(range_tally& tally, const assay_record& record) {
  if (record.op == ASSAY_OP_EVENT) {
    ++tally.events;
    return;
  }
  const bool is_same_call = record.correlation != 0 && record.correlation == tally.last_correlation;
  tally.last_correlation = record.correlation;
  if (record.op == ASSAY_OP_COPY) {
    if (!is_same_call) ++tally.copies;
    tally.bytes += record.amount;
  } else if (record.op == ASSAY_OP_LAUNCH) {
    ++tally.launches;
    tally.weight_bytes += record.extra[1];
    if (!is_same_call) ++tally.launch_calls;
  }
  const std::int64_t busy_from_ns = std::max(record.start_ns, tally.last_end_ns);
  tally.busy_ns += std::max<std::int64_t>(record.end_ns - busy_from_ns, 0);
  if (tally.first_start_ns == 0) {
    tally.first_start_ns = record.start_ns;
    tally.first_end_ns = record.end_ns;
  }
  tally.last_end_ns = std::max(tally.last_end_ns, record.end_ns);
}

constexpr std::uint8_t allocation = 1;  // op of a MEMORY record

bool is_sentinel(std::size_t range) {
  return range == static_cast<std::size_t>(telemetry::range::sentinel);
}

}  // namespace

void activity_tally::take(std::span<const assay_record> records) {
  for (const assay_record& record : records) {
    if (record.range >= by_range_.size()) continue;
    overlap_.take(record);
    event_spans_.take(record);
    if (record.kind == ASSAY_ACTIVITY) add(by_range_[record.range], record);
    if (record.kind == ASSAY_SUBMISSION && !is_sentinel(record.range))
      (record.op == ASSAY_OP_SYNC ? sync_ns_ : submission_ns_) += record.end_ns - record.start_ns;
    if (record.kind == ASSAY_MEMORY && !is_sentinel(record.range))
      memory_bytes_ += record.op == allocation ? record.amount : -record.amount;
  }
}

std::int64_t activity_tally::operations() const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < by_range_.size(); ++i)
    if (!is_sentinel(i))
      sum += by_range_[i].copies + by_range_[i].launch_calls + by_range_[i].events;
  return sum;
}

std::int64_t activity_tally::busy_ns() const {
  // Page-ins run beside all else, on a stream of their own: the longer of the two is what it took.
  constexpr auto beside = static_cast<std::size_t>(telemetry::range::paging);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < by_range_.size(); ++i)
    if (!is_sentinel(i) && i != beside) sum += by_range_[i].busy_ns;
  return std::max(sum, by_range_[beside].busy_ns);
}

}  // namespace assay::cli
