// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/perfetto/copy_order.h"

#include <algorithm>

namespace assay::reports {
namespace {

template <class Counts>
void raise_to(Counts& counts, const Counts& others) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::max(counts[i], others[i]);
}

}  // namespace

std::span<const std::uint64_t> copy_order::take(const assay_record& call) {
  found_.clear();
  const auto index = index_of(call.stream);
  if (!index) return found_;
  one_stream& on = streams_[*index];
  take_wait_of_host(on, call);
  const bool is_behind = call.start_ns >= on.changed_until_ns;
  switch (call.op) {
    case ASSAY_OP_COPY:
      take_copy(*index, call);
      break;
    case ASSAY_OP_LAUNCH:
      if (is_behind) collect(&one_stream::for_launches, on.behind);
      break;
    case ASSAY_OP_EVENT:
      if (recordings_.empty()) recordings_.resize(recordings_max);
      recordings_[call.correlation % recordings_max] = {call.correlation,
                                                        is_behind ? on.behind : copies_done{}};
      break;
    case ASSAY_OP_WAIT:
      if (const recording* awaited = find(call.extra[0])) {
        raise_to(on.behind, awaited->behind);
        on.changed_until_ns = std::max({on.changed_until_ns, call.start_ns, call.end_ns});
      }
      break;
    case ASSAY_OP_SYNC:
      if (is_behind || call.extra[0] != 0) take_sync(on, call);
      break;
    default:
      break;
  }
  return found_;
}

std::optional<std::size_t> copy_order::index_of(std::uint32_t stream) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].stream == stream) return i;
  if (streams_.size() == streams_max) return std::nullopt;
  streams_.emplace_back().stream = stream;
  return streams_.size() - 1;
}

const copy_order::recording* copy_order::find(std::int64_t correlation) const {
  if (correlation == 0 || recordings_.empty()) return nullptr;
  const auto wanted = static_cast<std::uint64_t>(correlation);
  const recording& there = recordings_[wanted % recordings_max];
  return there.correlation == wanted ? &there : nullptr;
}

void copy_order::take_wait_of_host(one_stream& on, const assay_record& call) const {
  // A call of another thread may have been made while the host still waited.
  if (call.start_ns < waited_until_ns_) return;
  raise_to(on.behind, waited_for_);
  on.changed_until_ns = std::max(on.changed_until_ns, waited_until_ns_);
}

void copy_order::take_copy(std::size_t index, const assay_record& call) {
  one_stream& on = streams_[index];
  on.behind[index] = ++on.copies_count;
  on.changed_until_ns = std::max({on.changed_until_ns, call.start_ns, call.end_ns});
  std::deque<copy>& side = call.direction == ASSAY_D2H ? on.for_syncs : on.for_launches;
  if (side.size() == unused_copies_max) side.pop_front();
  side.push_back({on.copies_count, call.correlation});
}

void copy_order::take_sync(const one_stream& on, const assay_record& call) {
  copies_done done = on.behind;
  if (call.extra[0] != 0) {  // for an event, and for nothing else on the stream
    const recording* awaited = find(call.extra[0]);
    if (awaited == nullptr) return;
    done = awaited->behind;
  }
  collect(&one_stream::for_syncs, done);
  raise_to(waited_for_, done);
  waited_until_ns_ = std::max(waited_until_ns_, call.end_ns);
}

void copy_order::collect(std::deque<copy> one_stream::*side, const copies_done& done) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    std::deque<copy>& waiting = streams_[i].*side;
    while (!waiting.empty() && waiting.front().number <= done[i]) {
      found_.push_back(waiting.front().correlation);
      waiting.pop_front();
    }
  }
}

}  // namespace assay::reports
