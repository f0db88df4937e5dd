// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How long steps took on the device, by events of the harness's own right around each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "probes/cuda_events/event_reading.h"
#include "probes/cuda_events/event_source.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Clock: device event.
struct event_span : event_reading {
  std::uint64_t step = 0;  ///< as begin() was told
};

/// begin(step), the step's submissions, end(); take() later, when the stream has moved on. Nobody
/// waits. A pair is used again only after it was read, and a step that finds none is counted, not
/// measured: no event is recorded anew before somebody looked at it.
/// What lies between the two on the stream is timed, waiting for the host included.
/// Threads: the one that submits to the stream.
class event_pair_probe {
 public:
  /// The source has 2 × pairs events.
  event_pair_probe(std::unique_ptr<event_source> events, std::size_t pairs);

  /// Errors: usage, where a step is open; the source's: the step is then not measured, and counted.
  result<void> begin(std::uint64_t step);
  /// Errors: usage, where none is open; the source's, as above.
  result<void> end();

  /// The spans that are complete, oldest first; what is still on its way stays. Where one cannot be
  /// read, those before it come first, and the next call gives the error and drops the one.
  /// Errors: the source's; internal, where the time is no number or negative.
  result<std::vector<event_span>> take();

  /// Steps that were begun and have no span, and never will.
  std::uint64_t unread_count() const { return unread_; }
  /// Steps whose span is still to be taken.
  std::size_t waiting_count() const { return count_; }

 private:
  struct step_pair {
    std::uint64_t step = 0;
    bool is_closed = false;
  };

  std::size_t begin_event(std::size_t pair) const { return 2 * pair; }
  std::size_t end_event(std::size_t pair) const { return 2 * pair + 1; }
  result<std::optional<event_span>> read(std::size_t pair);
  void drop_oldest();

  std::unique_ptr<event_source> events_;
  std::vector<step_pair> pairs_;  // a ring
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
  bool is_open_ = false;
  bool is_skipping_ = false;  // the open step found no pair
  std::uint64_t unread_ = 0;
};

}  // namespace assay::probes
