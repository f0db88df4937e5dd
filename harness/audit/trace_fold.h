// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Records and snapshots, in the order of the file, to evidence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/audit/balance_fold.h"
#include "harness/audit/claim_book.h"
#include "harness/audit/correlation_matcher.h"
#include "harness/audit/counter_judge.h"
#include "harness/audit/evidence.h"
#include "harness/audit/formula_fold.h"
#include "harness/audit/window_tracker.h"
#include "harness/audit/window_work.h"
#include "probes/trace/assay_trace.h"

namespace assay::audit {

/// One streaming pass. Memory: bounded by the contract's size and by what one window holds, not by
/// the trace's length. Nothing in a trace makes it fail: what does not fit is counted.
class trace_fold {
 public:
  /// Observations that may wait for the ends of their windows; a request has a few dozen.
  static constexpr std::size_t max_waiting = 65'536;
  /// Waits of one window that are kept; those beyond only leave its brackets a looser bound.
  static constexpr std::size_t max_waits = 4096;
  /// A record's times may miss its window by this: two clock reads and a hand-over.
  static constexpr std::int64_t record_slack_ns = 5'000;

  explicit trace_fold(std::vector<counter_spec> specs);
  trace_fold(const trace_fold&) = delete;
  trace_fold& operator=(const trace_fold&) = delete;

  void state_ceiling(telemetry::link_class link, const ceiling& stated) {
    evidence_.ceilings.state(link, stated);
  }
  void state_absence_of_records(const std::string& why) { evidence_.records_absence = why; }
  void take(const assay_record& record);
  void take_snapshot(std::span<const assay_reading> readings);
  /// The trace is over. The evidence stays in this object.
  evidence& finish();

 private:
  struct observation {
    std::size_t depth = 0;  ///< of the window that it speaks of
    std::uint32_t row = 0;
    std::uint8_t source = 0;
    std::uint8_t relation = 0;
    std::int64_t bits = 0;
    std::uint16_t range = 0;  ///< whose records it was made from; 0 any
  };
  /// Defects so far when a window began: what the window adds voids its own observations only.
  struct defect_mark {
    slot_defects incomplete;
    std::uint64_t mistimed = 0;
  };

  void take_submission(const assay_record& record);
  void take_activity(const assay_record& record);
  void take_memory(const assay_record& record);
  void take_loss(const assay_record& record);
  void take_observation(const assay_record& record);
  void take_event_span(const assay_record& record);
  void begin_window(const assay_record& record);
  void end_window(const assay_record& record);

  void absorb(bool is_final, const std::int64_t* window_end_ns);
  void absorb_one(operation& op, const std::int64_t* window_end_ns);
  void check_times(operation& op, const std::int64_t* window_end_ns);
  void note_silence(const window_name& window);
  void close_counters(const closed_window& window);
  void note_range(std::size_t row, const window_name& window);
  void note_reading(std::size_t row, const claim_value& claim, const closed_window& window);
  void check_event_spans(const closed_window& window);
  void settle_observations(const closed_window& window, std::size_t depth);
  void settle(const observation& said, const closed_window& window, const defect_mark& begin);
  void mark_touched(reference_evidence& reference, const observation& said,
                    const counter_spec& spec, const defect_mark& begin) const;

  evidence evidence_;
  std::vector<counter_spec> specs_;
  claim_book claims_;
  balance_fold balances_;
  formula_fold formulas_;
  std::vector<counter_judge> judges_;
  correlation_matcher matcher_;
  clock_fold clock_;
  sentinel_fold sentinels_;
  stream_order order_;
  window_tracker windows_;
  window_work work_;
  event_spans events_;  ///< of the window that is open
  std::vector<observation> waiting_;
  std::vector<defect_mark> marks_;  ///< one an open window
  std::vector<operation> joined_;
  std::vector<operation> waits_;  ///< calls since the last window ended that waited for a stream
  std::uint64_t mistimed_ = 0;
  bool has_spoken_ = false;  ///< a call or a record came since the last window ended
};

}  // namespace assay::audit
