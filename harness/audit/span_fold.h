// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// For a counter that claims a span of device work: what the records of one window say of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/audit/activity_cell.h"
#include "harness/audit/interval.h"
#include "harness/audit/operation.h"

namespace assay::audit {

/// One counter's device work within one window.
struct span_sample {
  bool has_work = false;
  std::int64_t first_start_ns = 0;
  std::int64_t last_end_ns = 0;
  std::int64_t busy_ns = 0;     ///< union of the work's intervals
  std::int64_t bytes = 0;       ///< moved by it
  std::int64_t call_ns = 0;     ///< sum of the calls that submitted it
  std::int64_t enqueue_ns = 0;  ///< first of these calls' entry to the last one's return

  /// Events next to the work on its stream: the last before and the first after.
  bool has_bracket = false;
  std::int64_t bracket_ns = 0;
  /// Time within the bracket in which the stream had nothing to do because the host had not yet
  /// submitted the next thing. From the calls' stamps alone, not from the events'.
  std::int64_t starved_ns = 0;

  std::int64_t span_ns() const { return last_end_ns - first_start_ns; }
};

/// Folds the operations of one window, for one counter. Reused from window to window.
class span_fold {
 public:
  explicit span_fold(std::vector<int> cells);

  /// `operations` are sorted by stream and correlation.
  void take(std::span<const operation> operations);
  /// Ends the window.
  span_sample close();

 private:
  struct edge {
    bool is_known = false;
    std::int64_t stamp_ns = 0;
    std::int64_t call_ns = 0;  ///< entry of the event's call before, return of it after the work
    std::int64_t idle_from_ns = 0;  ///< end of what ran before it on the stream
  };
  void take_event(const operation& op);
  void take_work(const operation& op);
  void begin_stream(std::uint32_t stream);

  std::array<bool, cell_total> is_claimed_{};
  std::vector<interval> intervals_;
  span_sample sample_;
  std::int64_t first_call_ns_ = 0;
  std::int64_t first_work_submitted_ns_ = 0;  ///< return of the call that submitted the first work
  std::int64_t last_call_ns_ = 0;
  std::uint32_t work_stream_ = 0;
  bool is_on_several_streams_ = false;
  bool is_awaiting_event_ = false;
  edge before_;  ///< the event ahead of the first work
  edge after_;

  bool has_stream_ = false;
  std::uint32_t stream_ = 0;
  std::int64_t stream_end_ns_ = 0;
  edge latest_event_;
};

}  // namespace assay::audit
