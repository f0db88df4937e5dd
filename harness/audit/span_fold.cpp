// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/span_fold.h"

#include <algorithm>
#include <limits>

#include "harness/audit/saturating.h"

namespace assay::audit {
namespace {

constexpr int paging_slot = static_cast<int>(telemetry::range::paging);

}  // namespace

span_fold::span_fold(std::vector<int> cells) {
  for (const int cell : cells) {
    is_claimed_[static_cast<std::size_t>(cell)] = true;
    takes_in_paging_ = takes_in_paging_ || slot_of_cell(cell) == paging_slot;
  }
}

void span_fold::begin_stream(std::uint32_t stream) {
  has_stream_ = true;
  stream_ = stream;
  stream_end_ns_ = 0;
  latest_event_ = {};
  is_awaiting_event_ = false;
}

void span_fold::take(std::span<const operation> operations) {
  for (const operation& op : operations) {
    if (op.slot == sentinel_slot) continue;
    if (!has_stream_ || op.stream != stream_) begin_stream(op.stream);
    if (after_.is_known && op.stream == work_stream_ && !op.is_mistimed)
      after_.precedes_ns = std::min(after_.precedes_ns, op.start_ns);
    // Those around waits for page-ins stand among kernels, and bracket none of them.
    const bool is_of_a_wait = op.slot == paging_slot && !takes_in_paging_;
    if (op.op == ASSAY_OP_EVENT && !is_of_a_wait) take_event(op);
    if (is_claimed_[static_cast<std::size_t>(cell_of(op.op, op.direction, op.slot))]) take_work(op);
    if (op.op != ASSAY_OP_EVENT && !op.is_mistimed)
      stream_end_ns_ = std::max(stream_end_ns_, op.end_ns);
  }
}

// An event that its record does not enclose was stamped for the record a second time. Where the
// stream had run dry, the two commands reached the device one by one, microseconds apart: the event
// lies anywhere between its call and that stamp. Behind work that still ran they followed each
// other within 100 ns (H200, CUPTI 13.0).
std::int64_t span_fold::earliest_moment_of(const operation& event) const {
  const bool is_enclosed = event.start_ns < event.end_ns;
  const bool was_idle = stream_end_ns_ <= event.call_start_ns;
  if (is_enclosed || !was_idle) return event.start_ns;
  return std::min(event.start_ns, event.call_start_ns);
}

void span_fold::take_event(const operation& op) {
  latest_event_ = {true,
                   op.is_mistimed,
                   earliest_moment_of(op),
                   op.end_ns,
                   op.call_start_ns,
                   op.call_end_ns,
                   stream_end_ns_,
                   std::numeric_limits<std::int64_t>::max()};
  if (!is_awaiting_event_) return;
  after_ = latest_event_;
  is_awaiting_event_ = false;
  close_run();
}

void span_fold::close_run() {
  if (!run_before_.is_known) return;
  ++sample_.runs;
  const std::int64_t least_ns = saturating_sub(after_.early_ns, run_before_.late_ns);
  sample_.least_runs_ns =
      saturating_add(sample_.least_runs_ns, std::max<std::int64_t>(least_ns, 0));
  sample_.most_runs_ns =
      saturating_add(sample_.most_runs_ns, saturating_sub(after_.late_ns, run_before_.early_ns));
}

void span_fold::take_work(const operation& op) {
  if (!sample_.has_work) {
    sample_.has_work = true;
    sample_.first_start_ns = op.start_ns;
    sample_.last_end_ns = op.end_ns;
    last_correlation_ = 0;
    first_call_ns_ = op.call_start_ns;
    last_call_ns_ = op.call_end_ns;
    work_stream_ = op.stream;
    before_ = latest_event_;
  }
  is_on_several_streams_ = is_on_several_streams_ || op.stream != work_stream_;
  sample_.is_mistimed = sample_.is_mistimed || op.is_mistimed;
  sample_.first_start_ns = std::min(sample_.first_start_ns, op.start_ns);
  sample_.last_end_ns = std::max(sample_.last_end_ns, op.end_ns);
  sample_.bytes = saturating_add(sample_.bytes, op.moved_bytes);
  first_call_ns_ = std::min(first_call_ns_, op.call_start_ns);
  last_call_ns_ = std::max(last_call_ns_, op.call_end_ns);
  // Kernels of one launch share its call.
  if (!op.is_split || op.correlation != last_correlation_)
    sample_.call_ns =
        saturating_add(sample_.call_ns, saturating_sub(op.call_end_ns, op.call_start_ns));
  last_correlation_ = op.correlation;
  sample_.sum_ns = saturating_add(sample_.sum_ns, saturating_sub(op.end_ns, op.start_ns));
  intervals_.push_back({op.start_ns, op.end_ns});
  if (!is_awaiting_event_) run_before_ = latest_event_;
  after_ = {};
  is_awaiting_event_ = true;
}

std::uint64_t span_fold::waits_within(std::span<const operation> waits) const {
  return static_cast<std::uint64_t>(
      std::count_if(waits.begin(), waits.end(), [this](const operation& wait) {
        return wait.stream == work_stream_ && wait.call_start_ns >= first_call_ns_ &&
               wait.call_end_ns <= last_call_ns_;
      }));
}

std::int64_t span_fold::longest_bracket_ns(std::int64_t end_ns,
                                           std::span<const operation> waits) const {
  std::int64_t until_ns = std::min(end_ns, after_.precedes_ns);
  for (const operation& wait : waits)
    if (wait.stream == work_stream_ && wait.call_start_ns >= after_.call_end_ns)
      until_ns = std::min(until_ns, wait.call_end_ns);
  return saturating_sub(until_ns, std::max(before_.call_start_ns, before_.follows_ns));
}

span_sample span_fold::close(std::int64_t end_ns, std::span<const operation> waits) {
  span_sample out = sample_;
  if (out.has_work) {
    out.busy_ns = union_ns(intervals_);
    out.last_end_ns =
        saturating_add(out.first_start_ns, saturating_sub(out.last_end_ns, out.first_start_ns));
    out.enqueue_ns = saturating_sub(last_call_ns_, first_call_ns_);
    out.waits_within = waits_within(waits);
    out.has_bracket = before_.is_known && after_.is_known && !is_on_several_streams_;
  }
  if (out.has_bracket) {
    out.is_mistimed = out.is_mistimed || before_.is_mistimed || after_.is_mistimed;
    out.bracket_ns = saturating_sub(after_.late_ns, before_.late_ns);
    out.least_bracket_ns =
        std::max<std::int64_t>(saturating_sub(after_.early_ns, before_.late_ns), 0);
    out.most_bracket_ns = saturating_sub(after_.late_ns, before_.early_ns);
    out.enclosing_ns = std::max(out.span_ns(), longest_bracket_ns(end_ns, waits));
    // Outside every window and without a wait nothing bounds the second event.
    out.has_bracket = out.enclosing_ns < std::numeric_limits<std::int64_t>::max() / 2;
  }
  intervals_.clear();
  sample_ = {};
  before_ = after_ = latest_event_ = {};
  is_on_several_streams_ = is_awaiting_event_ = has_stream_ = false;
  return out;
}

}  // namespace assay::audit
