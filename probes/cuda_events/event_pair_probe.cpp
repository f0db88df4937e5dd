// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cuda_events/event_pair_probe.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace assay::probes {
namespace {

constexpr double resolution_ns = 500.0;  // CUDA's documentation: "around 0.5 microseconds"
constexpr double ns_per_ms = 1e6;

event_span span_of(std::uint64_t step, float ms) {
  const float next = std::nextafter(ms, std::numeric_limits<float>::infinity());
  const double rounding_ns = (static_cast<double>(next) - static_cast<double>(ms)) / 2 * ns_per_ms;
  return {step, std::llround(static_cast<double>(ms) * ns_per_ms),
          static_cast<std::int64_t>(std::ceil(resolution_ns + rounding_ns))};
}

}  // namespace

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
  ASSAY_TRY_ASSIGN(const float ms, events_->elapsed_ms(begin_event(pair), end_event(pair)));
  if (!std::isfinite(ms) || ms < 0.0F)
    return ASSAY_FAIL(internal, "event pair: CUDA gives " + std::to_string(ms) + " ms for step " +
                                    std::to_string(pairs_[pair].step) + "; no time follows");
  return span_of(pairs_[pair].step, ms);
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
