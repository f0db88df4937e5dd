// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Sums over the device records as they pass by: references for counters that no single record
// answers, such as tokens generated (copies of logits) or context length (bytes appended).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/cli/event_span_tally.h"
#include "harness/cli/overlap_tally.h"
#include "probes/trace/assay_trace.h"
#include "runtime/telemetry/range.h"

namespace assay::cli {

/// What the device did under one range label. Clock: the records' own.
struct range_tally {
  std::int64_t copies = 0;    ///< by their calls: the parts of one are one
  std::int64_t launches = 0;  ///< kernels, those of one call one by one
  std::int64_t launch_calls = 0;
  std::int64_t events = 0;
  std::int64_t bytes = 0;
  std::int64_t weight_bytes = 0;  ///< that kernels tallied as they read
  std::int64_t busy_ns = 0;  ///< of copies and launches; where one overlaps the one before, once
  std::int64_t first_start_ns = 0;
  std::int64_t first_end_ns = 0;
  std::int64_t last_end_ns = 0;
  std::uint64_t last_correlation = 0;
};

/// Threads: one.
class activity_tally {
 public:
  void take(std::span<const assay_record> records);
  void clear() { *this = {}; }

  const range_tally& of(telemetry::range range) const {
    return by_range_[static_cast<std::size_t>(range)];
  }
  /// Time that calls which wait for a stream took, by the device's own record of each.
  std::int64_t sync_ns() const { return sync_ns_; }
  /// Time inside all other calls: one sleeps there where the queue is full.
  std::int64_t submission_ns() const { return submission_ns_; }
  /// Bytes that the arena granted less those it took back, the sentinel's left out.
  std::int64_t memory_bytes() const { return memory_bytes_; }
  /// Calls that left work: copies, launches and events of every range but the sentinel's.
  std::int64_t operations() const;
  /// Time that the device spent in copies and launches, the sentinel's left out.
  std::int64_t busy_ns() const;
  /// Page-ins beside the work that they are for; of one pass.
  overlap_times overlap() const { return overlap_.times(); }
  /// The same by events that the harness recorded itself.
  const event_span_sums& event_spans() const { return event_spans_; }

 private:
  std::array<range_tally, telemetry::range_count> by_range_{};
  overlap_tally overlap_;
  event_span_sums event_spans_;
  std::int64_t memory_bytes_ = 0;
  std::int64_t sync_ns_ = 0;
  std::int64_t submission_ns_ = 0;
};

}  // namespace assay::cli
