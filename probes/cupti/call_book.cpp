// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/call_book.h"

#include <algorithm>

namespace assay::probes {
namespace {

// The driver's ids have 32 bits and start at 1, as the device's do: those of nobody's call move out
// of their way.
constexpr std::uint64_t driver_correlation_bit = std::uint64_t{1} << 62;
constexpr std::uint32_t unknown_stream_bit = 0x80000000U;

bool is_activity(const assay_record& record) {
  return record.kind == ASSAY_ACTIVITY;
}

}  // namespace

std::uint32_t call_book::stream_of(std::uint32_t driver_stream, std::uint32_t told_stream) {
  const auto known = streams_.find(driver_stream);
  if (known != streams_.end()) return known->second;
  const bool is_taken = std::any_of(streams_.begin(), streams_.end(),
                                    [&](const auto& each) { return each.second == told_stream; });
  if (is_taken) return driver_stream | unknown_stream_bit;
  return streams_[driver_stream] = told_stream;
}

bool call_book::is_own_work(const assay_record& record) const {
  const auto id = ids_.find(record.correlation);
  return id != ids_.end() && id->second == own_work_id;
}

bool call_book::is_inner_event(const assay_record& record) const {
  if (record.op != ASSAY_OP_EVENT) return false;
  const auto id = ids_.find(record.correlation);
  if (id == ids_.end()) return false;
  const auto call = calls_.find(id->second);
  return call != calls_.end() && call->second.op == ASSAY_OP_COPY;
}

void call_book::rename(assay_record& record) {
  const std::uint64_t driver_correlation = record.correlation;
  record.correlation |= driver_correlation_bit;
  const auto id = ids_.find(driver_correlation);
  const auto call = id == ids_.end() ? calls_.end() : calls_.find(id->second);
  if (call != calls_.end()) {
    record.correlation = id->second;
    record.range = call->second.range;
    record.stream = stream_of(record.stream, call->second.stream);
    return;
  }
  const auto known = streams_.find(record.stream);
  record.stream = known != streams_.end() ? known->second : record.stream | unknown_stream_bit;
  ++foreign_count_;
}

void call_book::join(std::span<const claimed_call> claims, std::span<const assay_record> told,
                     std::vector<assay_record>& records) {
  ids_.clear();
  calls_.clear();
  for (const claimed_call& each : claims) ids_[each.driver_correlation] = each.our_id;
  for (const assay_record& each : told)
    if (each.kind == ASSAY_SUBMISSION)
      calls_[each.correlation] = {each.op, each.range, each.stream};

  std::vector<assay_record> others;
  std::vector<assay_record> activities;
  for (assay_record& record : records) {
    if (is_activity(record)) {
      if (is_own_work(record) || is_inner_event(record)) continue;
      rename(record);
      activities.push_back(record);
    } else if (record.kind != ASSAY_SUBMISSION) {
      others.push_back(record);
    }
  }
  std::stable_sort(
      activities.begin(), activities.end(),
      [](const assay_record& a, const assay_record& b) { return a.start_ns < b.start_ns; });
  records = std::move(others);
  records.insert(records.end(), told.begin(), told.end());
  records.insert(records.end(), activities.begin(), activities.end());
}

}  // namespace assay::probes
