// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cuda_events/wait_brackets.h"

#include <utility>

#include "probes/cuda_events/event_reading.h"

namespace assay::probes {

using device::operation_kind;

wait_brackets::lane& wait_brackets::lane_of(std::uint32_t stream) {
  const auto known = lanes_.find(stream);
  if (known != lanes_.end()) return known->second;
  lane& made = lanes_[stream];
  if (auto events = make_source_(stream, events_a_stream)) made.events = std::move(*events);
  return made;
}

wait_brackets::place wait_brackets::record(lane& on) {
  if (on.events == nullptr || on.used == events_a_stream || !on.events->record(on.used))
    return event_places::nowhere;
  return on.used++;
}

void wait_brackets::before_call(std::uint32_t stream, operation_kind kind,
                                device::range_label range) {
  lane& on = lane_of(stream);
  if (range != range_) {
    on.at = stage::none;
    return;
  }
  on.is_copying = on.is_copying || kind == operation_kind::copy;
  if (on.is_copying) return;
  if (kind == operation_kind::event_record && on.at != stage::waited) {
    on.open = {};
    on.open.before = record(on);
  }
  if (kind == operation_kind::event_wait && on.at == stage::announced) on.open.first = record(on);
}

void wait_brackets::after_call(std::uint32_t stream, operation_kind kind,
                               device::range_label range) {
  lane& on = lane_of(stream);
  if (range != range_ || on.is_copying) return;
  if (kind == operation_kind::event_wait && on.at == stage::announced) {
    on.open.last = record(on);
    on.at = stage::waited;
  } else if (kind == operation_kind::event_record && on.at == stage::waited) {
    on.open.after = record(on);
    on.over.push_back(std::exchange(on.open, {}));
    on.at = stage::none;
  } else {
    on.at = kind == operation_kind::event_record ? stage::announced : stage::none;
  }
}

result<void> wait_brackets::drain(trace::sink& to) {
  std::vector<assay_record> told;
  std::int64_t lost = 0;
  for (auto& [stream, on] : lanes_) {
    for (const event_places& done : on.over) {
      auto record = on.events == nullptr ? std::nullopt : read_span(*on.events, done);
      if (!record) {
        ++lost;
        continue;
      }
      record->op = ASSAY_OP_WAIT;
      record->range = range_;
      record->stream = stream;
      told.push_back(*record);
    }
    on.over.clear();
    if (on.at != stage::none) continue;
    on.used = 0;
  }
  if (lost > 0) {
    assay_record loss{};
    loss.kind = ASSAY_LOSS;
    loss.direction = ASSAY_SOURCE_HARNESS_EVENTS;
    loss.amount = lost;
    told.push_back(loss);
  }
  return told.empty() ? result<void>{} : to.records(told);
}

}  // namespace assay::probes
