// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/caller_fold.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "harness/attribution/timeline.h"
#include "probes/trace/bounded.h"

namespace assay::attribution {

using trace::difference;
using trace::sum;

void caller_fold::begin_pass() {
  first_ = {};
  last_ = {};
  waits_.clear();
}

void caller_fold::take_wait(const assay_record& call) {
  if (waits_.size() < max_waits) waits_.push_back(call);
}

// Of the caller alone: what its workers ran is on no path of its own.
void caller_fold::take_reading(const assay_record& reading) {
  if (reading.op != caller_role) return;
  if (first_.kind != ASSAY_THREAD)
    first_ = reading;
  else if (reading.stream == first_.stream)
    last_ = reading;
}

// The caller's own, or of nobody that was named; what another thread waits for holds this one up
// nowhere.
std::int64_t caller_fold::waiting_ns(std::int64_t begin_ns, std::int64_t end_ns) const {
  std::vector<piece> own;
  for (const assay_record& each : waits_)
    if (each.tid == 0 || each.tid == first_.stream)
      own.push_back({each.start_ns, each.end_ns, model::time_part::sync, 0});
  return difference(end_ns, begin_ns) - uncovered_ns(own, begin_ns, end_ns);
}

// How long the caller can have been off its core outside of its calls that wait, at most.
//
// The kernel counts how often a thread got a core, which tells nothing of where it left it. But one
// period off the core that is longer than all the time outside of the calls lies inside of one.
// The least that it was off within the pass counts, not what lies between the readings: what
// happened before the first of them was counted is none of its turns.
caller_fold::bound caller_fold::bound_of(std::int64_t wall_ns, std::int64_t waiting_ns,
                                         std::int64_t off_core_ns, std::int64_t run_ns) const {
  const std::int64_t outside_ns = difference(wall_ns, waiting_ns);
  const std::int64_t turns = difference(last_.extra[1], first_.extra[1]);
  // A caller that ran less than that was off its core there, whatever its turns.
  const bool is_told = first_.extra[1] > 0 && turns >= 0 && outside_ns >= 0 && run_ns >= outside_ns;
  const bool is_within_a_call = turns == 1 && difference(wall_ns, run_ns) > outside_ns;
  if (is_told && (turns == 0 || is_within_a_call)) return {true, 0};
  return {false, std::min(off_core_ns, std::max<std::int64_t>(0, outside_ns))};
}

void caller_fold::settle(std::int64_t residual_ns, std::int64_t begin_ns, std::int64_t end_ns,
                         model::pass_account& into) const {
  const bool is_around =
      last_.kind == ASSAY_THREAD && first_.start_ns <= begin_ns && last_.start_ns >= end_ns;
  const std::int64_t run_ns = difference(last_.amount, first_.amount);
  const std::int64_t between_ns = difference(last_.start_ns, first_.start_ns);
  if (!is_around || run_ns < 0 || difference(run_ns, between_ns) > account_tick_ns) return;
  const std::int64_t calls_ns = waiting_ns(begin_ns, end_ns);
  const std::int64_t off_core_ns = std::max<std::int64_t>(0, difference(between_ns, run_ns));
  const bound found = bound_of(difference(end_ns, begin_ns), calls_ns, off_core_ns, run_ns);
  ++into.passes;
  into.settled_passes += found.is_settled ? 1 : 0;
  const std::int64_t run_least_ns =
      std::max<std::int64_t>(0, difference(residual_ns, found.off_core_outside_ns));
  for (const auto& [total_ns, ns] : std::initializer_list<std::pair<std::int64_t&, std::int64_t>>{
           {into.between_ns, between_ns},
           {into.run_ns, run_ns},
           {into.off_core_ns, off_core_ns},
           {into.wait_ns, difference(last_.extra[0], first_.extra[0])},
           {into.calls_ns, calls_ns},
           {into.residual_ns, residual_ns},
           {into.off_core_outside_ns, found.off_core_outside_ns},
           {into.residual_run_ns, run_least_ns},
           {into.residual_run_most_ns, std::min(residual_ns, run_ns)}})
    total_ns = sum(total_ns, ns);
}

}  // namespace assay::attribution
