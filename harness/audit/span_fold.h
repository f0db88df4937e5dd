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
  /// Its work or an event next to it has times of another clock: nothing here can be compared.
  bool is_mistimed = false;
  std::int64_t first_start_ns = 0;
  std::int64_t last_end_ns = 0;
  std::int64_t busy_ns = 0;        ///< union of the work's intervals
  std::int64_t sum_ns = 0;         ///< of the intervals one by one
  std::int64_t bytes = 0;          ///< moved by it
  std::int64_t call_ns = 0;        ///< sum of the calls that submitted it
  std::int64_t enqueue_ns = 0;     ///< first of these calls' entry to the last one's return
  std::uint64_t waits_within = 0;  ///< waits for the work's stream between the first and the last

  /// Events next to the work on its stream: the last before and the first after.
  bool has_bracket = false;
  std::int64_t bracket_ns = 0;  ///< end of one event's record to end of the other's
  /// The record of an event encloses the moment that the event itself keeps: between these two
  /// lies what the events say, wherever an interruption fell between the clock reads.
  std::int64_t least_bracket_ns = 0;
  std::int64_t most_bracket_ns = 0;
  /// The longest that the bracket can be, whatever the events say: an event is stamped after what
  /// was submitted before it has ended and its own call has begun, and before what was submitted
  /// after it begins, a later wait for the stream returns, or the window ends. The work's span is
  /// the shortest. What lies between the two is hand-over between threads and lost time slices.
  std::int64_t enclosing_ns = 0;

  /// The same of each run of work between two events, added up: what stands between two runs counts
  /// for neither.
  std::uint64_t runs = 0;
  std::int64_t least_runs_ns = 0;
  std::int64_t most_runs_ns = 0;

  std::int64_t span_ns() const { return last_end_ns - first_start_ns; }
};

/// Folds the operations of one window, for one counter. Reused from window to window.
class span_fold {
 public:
  explicit span_fold(std::vector<int> cells);

  /// `operations` are sorted by stream and correlation.
  void take(std::span<const operation> operations);
  /// Ends the window at `end_ns`. `waits` are its calls that waited for a stream.
  span_sample close(std::int64_t end_ns, std::span<const operation> waits);

 private:
  struct edge {
    bool is_known = false;
    bool is_mistimed = false;
    std::int64_t early_ns = 0;  ///< the record's start
    std::int64_t late_ns = 0;
    std::int64_t call_start_ns = 0;
    std::int64_t call_end_ns = 0;
    std::int64_t follows_ns = 0;   ///< end of what ran before it on the stream
    std::int64_t precedes_ns = 0;  ///< start of what ran after it; the far future if nothing did
  };
  std::int64_t earliest_moment_of(const operation& event) const;
  void take_event(const operation& op);
  void take_work(const operation& op);
  void begin_stream(std::uint32_t stream);
  std::uint64_t waits_within(std::span<const operation> waits) const;
  std::int64_t longest_bracket_ns(std::int64_t end_ns, std::span<const operation> waits) const;

  std::array<bool, cell_total> is_claimed_{};
  bool takes_in_paging_ = false;
  std::vector<interval> intervals_;
  span_sample sample_;
  std::uint64_t last_correlation_ = 0;
  std::int64_t first_call_ns_ = 0;
  std::int64_t last_call_ns_ = 0;
  std::uint32_t work_stream_ = 0;
  bool is_on_several_streams_ = false;
  bool is_awaiting_event_ = false;
  void close_run();
  edge before_;      ///< the event ahead of the first work
  edge run_before_;  ///< the event ahead of the run that is open
  edge after_;

  bool has_stream_ = false;
  std::uint32_t stream_ = 0;
  std::int64_t stream_end_ns_ = 0;
  edge latest_event_;
};

}  // namespace assay::audit
