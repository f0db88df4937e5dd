// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The machine's state over the run, and whether it changed by more than it should.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/attribution/stretch_row.h"
#include "probes/trace/assay_trace.h"
#include "probes/trace/condition.h"
#include "probes/trace/run_facts.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// What the samples of one condition were.
struct condition_course {
  std::uint64_t samples = 0;
  std::uint64_t samples_in_passes = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t least = 0;      ///< of a level; of a total, gained between two samples
  std::int64_t most = 0;       ///< likewise
  std::int64_t begin_ns = 0;   ///< of the first sample
  std::int64_t end_ns = 0;     ///< of the last
  std::uint64_t bits = 0;      ///< that any sample had
  bool has_gone_back = false;  ///< a total that was lower than before
  bool has_time_gone_back = false;

  void take(trace::condition_kind kind, std::int64_t at_ns, std::int64_t value);
};

struct condition_verdict {
  bool is_flagged = false;
  std::string words;
  bool has_bound = true;
};

/// Whether a condition changed by more than it should:
///   a clock: by more than a tenth of its most;
///   throttles: at all; stolen time, time held back, time without memory: more than a hundredth of
///   the time between first and last sample, and of stolen time by a tick of 10 ms at least;
///   the load average: above `allowed_cores` (0: not known);
///   the set of cores, the link: at all; what holds a GPU's clocks down: anything but harmless
///   bits.
/// All others have no bound. Pure.
condition_verdict verdict_of(const trace::condition_row& row, const condition_course& course,
                             std::int64_t allowed_cores);

/// Threads: one. Memory: 256 stretches a condition.
class condition_fold {
 public:
  condition_fold() : courses_(trace::condition_rows().size()), stretches_(courses_.size()) {}

  /// `is_in_pass`: the sample lies between a pass's begin and its end.
  void take(const assay_record& sample, bool is_in_pass = false);
  void take_absent(const std::vector<trace::absent_condition>& absent);
  /// Those that were sampled, and those that are said to be absent, in the format's order.
  std::vector<model::condition_line> lines() const;

 private:
  std::vector<condition_course> courses_;
  std::vector<stretch_row> stretches_;
  std::vector<trace::absent_condition> absent_;
  bool has_origin_ = false;
  std::int64_t origin_ns_ = 0;
};

}  // namespace assay::attribution
