// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How long a stream stood waiting for another, by events of the harness's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "probes/cuda_events/event_reading.h"
#include "probes/cuda_events/range_brackets.h"
#include "probes/trace/sink.h"
#include "runtime/device/records.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Of one range: what a runtime that times its waits submits is event, wait, event. The harness's
/// four stand around and between these, so that by the order of the stream the runtime's own pair
/// lies between `first` to `last` and `before` to `after`:
///
///     before | event | first | wait | last | event | after
///
/// Waits that nobody times are left alone: what is on a stream ahead of them is unknown. A stream
/// that copies in the range is the other side's, and gets no event.
/// Clock: device event. Threads: the one that submits. Overhead: four events a wait, and one for
/// each event of the range that no wait follows.
class wait_brackets {
 public:
  static constexpr std::size_t events_a_stream = 2048;

  wait_brackets(range_brackets::source_maker make_source, device::range_label range)
      : make_source_(std::move(make_source)), range_(range) {}

  void before_call(std::uint32_t stream, device::operation_kind kind, device::range_label range);
  /// After a call that was accepted.
  void after_call(std::uint32_t stream, device::operation_kind kind, device::range_label range);

  /// An EVENT_SPAN with the op of a wait for each; a LOSS of harness events where some were lost
  /// since the last time. With the streams synchronised. Errors: the sink's.
  result<void> drain(trace::sink& to);

 private:
  using place = std::size_t;
  enum class stage : std::uint8_t { none, announced, waited };

  struct lane {
    std::unique_ptr<event_source> events;
    std::size_t used = 0;
    bool is_copying = false;
    stage at = stage::none;
    event_places open;
    std::vector<event_places> over;
  };

  lane& lane_of(std::uint32_t stream);
  static place record(lane& on);

  range_brackets::source_maker make_source_;
  device::range_label range_;
  std::map<std::uint32_t, lane> lanes_;
};

}  // namespace assay::probes
