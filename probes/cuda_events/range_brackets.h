// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How long the work of each range took on its stream, by events of the harness's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "probes/cuda_events/event_reading.h"
#include "probes/cuda_events/event_source.h"
#include "probes/trace/sink.h"
#include "runtime/device/records.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Sees the calls on a stream and records events between them: around all calls of a range, and
/// right around its work. What the range's own event pair says lies between the two, by the order
/// of the stream, unless the pair stands elsewhere.
///
///     before | pair's first event | first | copies, launches | last | pair's second event | after
///
/// A range is over with the event behind its work, or with the next call of another range. `after`
/// is the next range's `before` where nothing was called between the two; where the next range
/// begins with work, the pair's second event is that range's first too, and `last` its `before`.
/// Calls of an inner range belong to the range that is open around them on their stream, if any is:
/// events around waits within a step stand among its kernels, and are no end of it.
/// Nothing is recorded before or in a call that waits: a time of the wait would hold it.
/// Clock: device event. Threads: the one that submits. Overhead: an event at each of these places;
/// docs/evidence has what it costs a step.
class range_brackets {
 public:
  /// Events of a stream that are held until they were read; a span that finds none is lost.
  static constexpr std::size_t events_a_stream = 2048;

  /// Makes `count` events on a stream. Where it fails, the stream's spans are lost, and told.
  using source_maker =
      std::function<result<std::unique_ptr<event_source>>(std::uint32_t stream, std::size_t count)>;

  /// `ignored`: labels that nobody brackets, besides 0. `inner`: labels whose calls are part of
  /// whatever is open.
  range_brackets(source_maker make_source, std::span<const device::range_label> ignored,
                 std::span<const device::range_label> inner = {});

  /// Before a call that enqueues, with the label that is open.
  void before_call(std::uint32_t stream, device::operation_kind kind, device::range_label range);
  /// After such a call, where it was accepted.
  void after_call(std::uint32_t stream, device::operation_kind kind, device::range_label range);

  /// An EVENT_SPAN a range that is over; a LOSS of harness events where spans were lost since the
  /// last time. With the streams synchronised. Errors: the sink's.
  result<void> drain(trace::sink& to);

  std::uint64_t lost_count() const { return lost_; }

 private:
  using place = std::size_t;  ///< of an event in its source
  static constexpr place nowhere = event_places::nowhere;

  struct bracket : event_places {
    device::range_label range = 0;
    bool is_open = false;
    bool has_work = false;
    bool has_new_work = false;  ///< behind `last`

    bool is_timed() const { return has_work && !has_new_work; }
  };
  struct lane {
    std::unique_ptr<event_source> events;
    std::size_t used = 0;
    place edge = nowhere;   ///< `after` of the range before, while nothing was called since
    place inner = nowhere;  ///< its `last`, as long
    bracket open;
    std::vector<bracket> over;
  };

  bool is_watched(device::range_label range) const;
  bool is_within(const lane& on, device::range_label range) const;
  lane& lane_of(std::uint32_t stream);
  static place record(lane& on);
  static void begin(lane& on, device::range_label range, bool is_begun_by_work);
  void end(lane& on);

  source_maker make_source_;
  std::vector<device::range_label> ignored_;
  std::vector<device::range_label> inner_;
  std::map<std::uint32_t, lane> lanes_;
  std::uint64_t lost_ = 0;
  std::uint64_t reported_lost_ = 0;
};

}  // namespace assay::probes
