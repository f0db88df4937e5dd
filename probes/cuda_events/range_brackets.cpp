// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cuda_events/range_brackets.h"

#include <algorithm>
#include <utility>

#include "probes/cuda_events/event_reading.h"

namespace assay::probes {
namespace {

using device::operation_kind;

bool is_among(const std::vector<device::range_label>& labels, device::range_label range) {
  return std::find(labels.begin(), labels.end(), range) != labels.end();
}

bool is_work(operation_kind kind) {
  return kind == operation_kind::copy || kind == operation_kind::launch;
}

}  // namespace

range_brackets::range_brackets(source_maker make_source,
                               std::span<const device::range_label> ignored,
                               std::span<const device::range_label> inner)
    : make_source_(std::move(make_source)),
      ignored_(ignored.begin(), ignored.end()),
      inner_(inner.begin(), inner.end()) {}

bool range_brackets::is_watched(device::range_label range) const {
  return range != 0 && !is_among(ignored_, range);
}

bool range_brackets::is_within(const lane& on, device::range_label range) const {
  return on.open.is_open && on.open.range != range && is_among(inner_, range);
}

range_brackets::lane& range_brackets::lane_of(std::uint32_t stream) {
  const auto known = lanes_.find(stream);
  if (known != lanes_.end()) return known->second;
  lane& made = lanes_[stream];
  if (auto events = make_source_(stream, events_a_stream)) made.events = std::move(*events);
  return made;
}

range_brackets::place range_brackets::record(lane& on) {
  if (on.events == nullptr || on.used == events_a_stream || !on.events->record(on.used))
    return nowhere;
  return on.used++;
}

void range_brackets::begin(lane& on, device::range_label range, bool is_begun_by_work) {
  on.open = {};
  on.open.is_open = true;
  on.open.range = range;
  if (on.edge == nowhere)
    on.open.before = record(on);
  else
    on.open.before = is_begun_by_work ? on.inner : on.edge;
}

void range_brackets::end(lane& on) {
  bracket done = std::exchange(on.open, {});
  if (!done.has_work) return;
  done.after = on.edge = record(on);
  if (done.has_new_work) done.last = done.after;
  on.inner = done.last;
  if (!done.is_whole()) {
    ++lost_;
    return;
  }
  on.over.push_back(done);
}

void range_brackets::before_call(std::uint32_t stream, operation_kind kind,
                                 device::range_label range) {
  lane& on = lane_of(stream);
  if (is_within(on, range)) return;
  const bool is_wait = kind == operation_kind::event_wait;
  if (on.open.is_open && on.open.range != range) end(on);
  if (is_watched(range) && !on.open.is_open && !is_wait) begin(on, range, is_work(kind));
  on.edge = nowhere;
  if (!is_watched(range) || is_wait) return;
  bracket& open = on.open;
  if (is_work(kind) && !open.has_work) open.first = record(on);
  if (kind != operation_kind::event_record || !open.has_new_work) return;
  open.last = record(on);
  open.has_new_work = false;
}

void range_brackets::after_call(std::uint32_t stream, operation_kind kind,
                                device::range_label range) {
  lane& on = lane_of(stream);
  if (!is_watched(range) || is_within(on, range)) return;
  if (is_work(kind))
    on.open.has_work = on.open.has_new_work = true;
  else if (kind == operation_kind::event_record && on.open.is_timed())
    end(on);
}

result<void> range_brackets::drain(trace::sink& to) {
  std::vector<assay_record> told;
  for (auto& [stream, on] : lanes_) {
    for (const bracket& done : on.over) {
      auto record = read_span(*on.events, done);
      if (!record) {
        ++lost_;
        continue;
      }
      record->range = done.range;
      record->stream = stream;
      told.push_back(*record);
    }
    on.over.clear();
    if (on.open.is_open) continue;
    on.used = 0;
    on.edge = nowhere;
  }
  if (lost_ > reported_lost_) {
    assay_record loss{};
    loss.kind = ASSAY_LOSS;
    loss.direction = ASSAY_SOURCE_HARNESS_EVENTS;
    loss.amount = static_cast<std::int64_t>(lost_ - reported_lost_);
    reported_lost_ = lost_;
    told.push_back(loss);
  }
  return told.empty() ? result<void>{} : to.records(told);
}

}  // namespace assay::probes
