// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/overlap_tally.h"

#include <algorithm>
#include <limits>

#include "harness/cli/record_range.h"
#include "runtime/telemetry/range.h"

namespace assay::cli {

overlap_times& overlap_times::operator+=(const overlap_times& other) {
  copy_ns += other.copy_ns;
  copy_most_ns += other.copy_most_ns;
  work_ns += other.work_ns;
  both_ns += other.both_ns;
  stall_least_ns += other.stall_least_ns;
  stall_most_ns += other.stall_most_ns;
  gaps_ns += other.gaps_ns;
  return *this;
}

void overlap_tally::take(const assay_record& record) {
  if (record.kind != ASSAY_ACTIVITY) return;
  const interval at{record.start_ns, record.end_ns, record.op == ASSAY_OP_EVENT,
                    record.op == ASSAY_OP_LAUNCH, record.stream};
  if (record.range == record_range(telemetry::range::paging)) paging_.push_back(at);
  if (record.range == record_range(telemetry::range::compute) ||
      record.range == record_range(telemetry::range::kv_append))
    compute_.push_back(at);
}

// A programmatic launch begins before the kernel ahead of it has ended: of what both ran in, the
// earlier one keeps its time, and none is counted twice.
void overlap_tally::part_kernels(std::vector<interval>& sorted) {
  std::int64_t until_ns = std::numeric_limits<std::int64_t>::min();
  for (interval& each : sorted) {
    if (each.is_event) continue;
    each.start_ns = std::max(each.start_ns, std::min(until_ns, each.end_ns));
    until_ns = std::max(until_ns, each.end_ns);
  }
}

// A run of page-ins lies between the event before it and the one after.
void overlap_tally::add_runs(std::vector<interval> of, overlap_times& to) {
  const interval* before = nullptr;
  bool has_run = false;
  for (const interval& each : of) {
    if (!each.is_event) {
      to.copy_ns += each.end_ns - each.start_ns;
      has_run = true;
      continue;
    }
    if (before != nullptr && has_run) to.copy_most_ns += each.end_ns - before->start_ns;
    before = &each;
    has_run = false;
  }
}

// A driver stamps an event's record by a command of its own, behind the event: on an H200 5 to 6 us
// later beside a copy, with work ahead and without. The event itself came after what is ahead of
// it.
std::int64_t overlap_tally::earliest_of(const interval& event, std::int64_t ahead_end_ns) {
  const bool is_enclosed = event.start_ns < event.end_ns;
  return is_enclosed ? event.start_ns : std::min(event.start_ns, ahead_end_ns);
}

void overlap_tally::add_waits(const std::vector<interval>& of, overlap_times& to) {
  std::int64_t ahead_end_ns = of.empty() ? 0 : of.front().start_ns;  // of all ahead of the last one
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (!of[i].is_event) to.work_ns += of[i].end_ns - of[i].start_ns;
    if (of[i].is_event) to.gaps_ns += of[i].end_ns - of[i].start_ns;
    if (i == 0) continue;
    const bool is_wait =
        of[i].is_event && of[i - 1].is_event && i + 1 < of.size() && of[i + 1].is_kernel;
    if (is_wait) {
      to.stall_least_ns += std::max<std::int64_t>(of[i].start_ns - of[i - 1].end_ns, 0);
      to.stall_most_ns += of[i].end_ns - earliest_of(of[i - 1], ahead_end_ns);
    } else {
      to.gaps_ns += std::max<std::int64_t>(of[i].start_ns - of[i - 1].end_ns, 0);
    }
    ahead_end_ns = std::max(ahead_end_ns, of[i - 1].end_ns);
  }
}

overlap_times overlap_tally::times() const {
  const auto by_start = [](const interval& a, const interval& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns < b.end_ns;
  };
  // Of the paging events, those on the copies' stream are around copies, the others among kernels.
  const auto first = std::find_if(paging_.begin(), paging_.end(),
                                  [](const interval& each) { return !each.is_event; });
  std::vector<interval> page_ins;
  std::vector<interval> compute = compute_;
  for (const interval& each : paging_)
    (first != paging_.end() && each.stream == first->stream ? page_ins : compute).push_back(each);
  std::sort(page_ins.begin(), page_ins.end(), by_start);
  std::sort(compute.begin(), compute.end(), by_start);
  part_kernels(compute);
  overlap_times to;
  add_runs(page_ins, to);
  add_waits(compute, to);
  std::size_t at = 0;
  for (const interval& copy : page_ins) {
    if (copy.is_event) continue;
    while (at < compute.size() && compute[at].end_ns <= copy.start_ns) ++at;
    for (std::size_t i = at; i < compute.size() && compute[i].start_ns < copy.end_ns; ++i)
      if (!compute[i].is_event)
        to.both_ns += std::max<std::int64_t>(
            std::min(copy.end_ns, compute[i].end_ns) - std::max(copy.start_ns, compute[i].start_ns),
            0);
  }
  return to;
}

}  // namespace assay::cli
