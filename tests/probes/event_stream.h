// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A stream that runs at once, and the events on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include <gtest/gtest.h>

#include "probes/cuda_events/event_source.h"
#include "runtime/device/records.h"

namespace assay::test {

struct event_stream {
  double now_ms = 0.0;
  bool refuses = false;
  bool is_lost = false;
  int recorded = 0;
  std::map<std::size_t, double> events;
};

class stream_events final : public probes::event_source {
 public:
  explicit stream_events(event_stream& on) : on_(on) {}
  result<void> record(std::size_t which) override {
    if (on_.refuses) return ASSAY_FAIL(unavailable, "the stream is being captured");
    EXPECT_FALSE(on_.events.contains(which)) << "recorded anew before it was read";
    on_.events[which] = on_.now_ms;
    ++on_.recorded;
    return {};
  }
  result<bool> is_reached(std::size_t which) override {
    if (on_.is_lost) return ASSAY_FAIL(unavailable, "the device is lost");
    return on_.events.contains(which);
  }
  result<float> elapsed_ms(std::size_t from, std::size_t to) override {
    return static_cast<float>(on_.events.at(to) - on_.events.at(from));
  }

 private:
  event_stream& on_;
};

/// A call, as brackets are told of it. A hundredth of a ms passes between any two.
template <class Brackets>
void tell_call(Brackets& brackets, std::map<std::uint32_t, event_stream>& streams,
               std::uint32_t stream, device::operation_kind kind, device::range_label range,
               double took_ms) {
  brackets.before_call(stream, kind, range);
  streams[stream].now_ms += took_ms + 0.01;
  brackets.after_call(stream, kind, range);
}

}  // namespace assay::test
