// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/span_fold.h"

#include <algorithm>

#include "harness/audit/saturating.h"

namespace assay::audit {

span_fold::span_fold(std::vector<int> cells) {
  for (const int cell : cells) is_claimed_[static_cast<std::size_t>(cell)] = true;
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
    if (op.op == ASSAY_OP_EVENT) take_event(op);
    if (is_claimed_[static_cast<std::size_t>(cell_of(op.op, op.direction, op.slot))]) take_work(op);
    stream_end_ns_ = std::max(stream_end_ns_, op.end_ns);
  }
}

void span_fold::take_event(const operation& op) {
  if (is_awaiting_event_) {
    after_ = {true, op.end_ns, op.call_end_ns, stream_end_ns_};
    is_awaiting_event_ = false;
  }
  latest_event_ = {true, op.end_ns, op.call_start_ns, stream_end_ns_};
}

void span_fold::take_work(const operation& op) {
  if (!sample_.has_work) {
    sample_.has_work = true;
    sample_.first_start_ns = op.start_ns;
    sample_.last_end_ns = op.end_ns;
    first_call_ns_ = op.call_start_ns;
    first_work_submitted_ns_ = op.call_end_ns;
    last_call_ns_ = op.call_end_ns;
    work_stream_ = op.stream;
    before_ = latest_event_;
  }
  is_on_several_streams_ = is_on_several_streams_ || op.stream != work_stream_;
  sample_.first_start_ns = std::min(sample_.first_start_ns, op.start_ns);
  sample_.last_end_ns = std::max(sample_.last_end_ns, op.end_ns);
  sample_.bytes = saturating_add(sample_.bytes, op.moved_bytes);
  first_call_ns_ = std::min(first_call_ns_, op.call_start_ns);
  last_call_ns_ = std::max(last_call_ns_, op.call_end_ns);
  sample_.call_ns =
      saturating_add(sample_.call_ns, saturating_sub(op.call_end_ns, op.call_start_ns));
  intervals_.push_back({op.start_ns, op.end_ns});
  after_ = {};
  is_awaiting_event_ = true;
}

span_sample span_fold::close() {
  span_sample out = sample_;
  if (out.has_work) {
    out.busy_ns = union_ns(intervals_);
    out.last_end_ns =
        saturating_add(out.first_start_ns, saturating_sub(out.last_end_ns, out.first_start_ns));
    out.enqueue_ns = saturating_sub(last_call_ns_, first_call_ns_);
    out.has_bracket = before_.is_known && after_.is_known && !is_on_several_streams_;
  }
  if (out.has_bracket) {
    out.bracket_ns = saturating_sub(after_.stamp_ns, before_.stamp_ns);
    // The first event is stamped once its call has begun and the stream is free. From then until
    // the work has been submitted the stream waits for the host.
    const std::int64_t earliest_ns = std::max(before_.call_ns, before_.idle_from_ns);
    const std::int64_t ahead_ns =
        saturating_sub(std::min(out.first_start_ns, first_work_submitted_ns_), earliest_ns);
    const std::int64_t behind_ns = saturating_sub(after_.call_ns, out.last_end_ns);
    out.starved_ns =
        saturating_add(std::max<std::int64_t>(ahead_ns, 0), std::max<std::int64_t>(behind_ns, 0));
  }
  intervals_.clear();
  sample_ = {};
  before_ = after_ = latest_event_ = {};
  is_on_several_streams_ = is_awaiting_event_ = has_stream_ = false;
  return out;
}

}  // namespace assay::audit
