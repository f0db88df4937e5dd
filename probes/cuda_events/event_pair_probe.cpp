// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cuda_events/event_pair_probe.h"

#include <string>
#include <utility>

namespace assay::probes {

event_pair_probe::event_pair_probe(std::unique_ptr<event_source> events, std::size_t pairs)
    : events_(std::move(events)), pairs_(pairs) {}

result<void> event_pair_probe::begin(std::uint64_t step) {
  if (is_open_)
    return ASSAY_FAIL(usage, "event pair: step " + std::to_string(step) +
                                 " begins inside another; end that first");
  if (count_ == pairs_.size()) {
    ++unread_;
    is_open_ = is_skipping_ = true;
    return {};
  }
  const std::size_t at = (oldest_ + count_) % pairs_.size();
  if (auto recorded = events_->record(begin_event(at)); !recorded) {
    ++unread_;
    return recorded;
  }
  pairs_[at] = {step, false};
  ++count_;
  is_open_ = true;
  return {};
}

result<void> event_pair_probe::end() {
  if (!is_open_) return ASSAY_FAIL(usage, "event pair: no step is open; begin one first");
  is_open_ = false;
  if (std::exchange(is_skipping_, false)) return {};
  const std::size_t at = (oldest_ + count_ - 1) % pairs_.size();
  if (auto recorded = events_->record(end_event(at)); !recorded) {
    --count_;  // its end was never recorded: whatever stands there is another step's
    ++unread_;
    return recorded;
  }
  pairs_[at].is_closed = true;
  return {};
}

result<std::optional<event_span>> event_pair_probe::read(std::size_t pair) {
  ASSAY_TRY_ASSIGN(const bool is_done, events_->is_reached(end_event(pair)));
  if (!is_done) return std::nullopt;
  ASSAY_TRY_ASSIGN(const event_reading seen,
                   read_between(*events_, begin_event(pair), end_event(pair)));
  return event_span{seen, pairs_[pair].step};
}

void event_pair_probe::drop_oldest() {
  oldest_ = (oldest_ + 1) % pairs_.size();
  --count_;
}

result<std::vector<event_span>> event_pair_probe::take() {
  std::vector<event_span> spans;
  while (count_ > 0 && pairs_[oldest_].is_closed) {
    auto span = read(oldest_);
    if (!span && !spans.empty()) break;
    if (!span) {
      ++unread_;
      drop_oldest();
      return failure(std::move(span).error());
    }
    // A stream's events are reached in order: behind one that is not, none is.
    if (!*span) break;
    spans.push_back(**span);
    drop_oldest();
  }
  return spans;
}

}  // namespace assay::probes
