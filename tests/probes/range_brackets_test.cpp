// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a span could hold a neighbour's work, miss a part of its own, or be an earlier
// step's, and confirm a counter that is wrong in the same way.
#include "probes/cuda_events/range_brackets.h"

#include <array>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/cuda_events/bracketed_device.h"
#include "runtime/device/host_device.h"
#include "runtime/telemetry/range.h"
#include "tests/probes/event_stream.h"
#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using device::operation_kind;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto label(telemetry::range range) {
  return static_cast<device::range_label>(range);
}
constexpr auto inputs = label(telemetry::range::inputs);
constexpr auto compute = label(telemetry::range::compute);
constexpr auto choices = label(telemetry::range::choices);
constexpr auto sentinel_label = label(telemetry::range::sentinel);
constexpr auto paging = label(telemetry::range::paging);

class RangeBrackets : public testing::Test {
 protected:
  void call(operation_kind kind, device::range_label range, double took_ms = 0.0,
            std::uint32_t stream = 0) {
    test::tell_call(brackets, streams, stream, kind, range, took_ms);
  }
  void event(device::range_label range) { call(operation_kind::event_record, range); }
  void timed_work(device::range_label range, double took_ms) {
    event(range);
    call(operation_kind::launch, range, took_ms);
    event(range);
  }

  struct span {
    int range;
    std::int64_t most_ns;
    std::int64_t least_ns;
    friend bool operator==(const span&, const span&) = default;
    friend std::ostream& operator<<(std::ostream& out, const span& one) {
      return out << one.range << ": " << one.least_ns << ".." << one.most_ns;
    }
  };
  std::vector<span> drained() {
    test::recorded_trace trace;
    EXPECT_TRUE(brackets.drain(trace));
    for (auto& [stream, on] : streams) on.events.clear();
    std::vector<span> spans;
    for (const assay_record& each : trace.of_kind(ASSAY_EVENT_SPAN))
      spans.push_back({each.range, each.amount / 1000 * 1000, each.extra[0] / 1000 * 1000});
    for (const assay_record& each : trace.of_kind(ASSAY_LOSS)) {
      EXPECT_EQ(each.direction, ASSAY_SOURCE_HARNESS_EVENTS);
      lost += each.amount;
    }
    return spans;
  }

  std::map<std::uint32_t, test::event_stream> streams;
  std::array<device::range_label, 1> ignored{sentinel_label};
  std::array<device::range_label, 1> inner{paging};
  range_brackets brackets{
      [this](std::uint32_t stream, std::size_t) -> result<std::unique_ptr<event_source>> {
        return std::unique_ptr<event_source>(
            std::make_unique<test::stream_events>(streams[stream]));
      },
      ignored, inner};
  std::int64_t lost = 0;
};

TEST_F(RangeBrackets, enclose_a_pair_and_lie_within_it) {
  timed_work(compute, 1.0);
  // The pair says 1.01 ms and a hand-over: least is the work, most holds both of its events.
  EXPECT_THAT(drained(), ElementsAre(span{compute, 1'030'000, 1'010'000}));
  EXPECT_EQ(lost, 0);
}

TEST_F(RangeBrackets, keep_neighbours_apart_and_share_the_edge_between_them) {
  timed_work(inputs, 0.5);
  timed_work(compute, 2.0);
  EXPECT_EQ(streams[0].recorded, 7) << "one event is the end of one and the begin of the other";
  EXPECT_THAT(drained(),
              ElementsAre(span{inputs, 530'000, 510'000}, span{compute, 2'030'000, 2'010'000}));
}

// The second event of one pair is the first of the next: the next span begins before it.
TEST_F(RangeBrackets, enclose_an_event_that_two_ranges_share) {
  timed_work(compute, 1.0);
  call(operation_kind::copy, choices, 0.2);
  event(choices);
  EXPECT_EQ(streams[0].recorded, 7);
  EXPECT_THAT(drained(),
              ElementsAre(span{compute, 1'030'000, 1'010'000}, span{choices, 230'000, 210'000}));
  EXPECT_EQ(lost, 0);
}

TEST_F(RangeBrackets, do_not_take_what_ran_between_two_ranges_into_either) {
  timed_work(inputs, 0.5);
  call(operation_kind::launch, 0, 7.0);
  timed_work(compute, 2.0);
  call(operation_kind::copy, sentinel_label, 9.0);
  EXPECT_THAT(drained(),
              ElementsAre(span{inputs, 530'000, 510'000}, span{compute, 2'030'000, 2'010'000}));
}

TEST_F(RangeBrackets, go_from_the_first_work_to_the_last) {
  event(compute);
  for (int i = 0; i < 3; ++i) call(operation_kind::launch, compute, 1.0);
  event(compute);
  EXPECT_THAT(drained(), ElementsAre(span{compute, 3'050'000, 3'030'000}));
}

TEST_F(RangeBrackets, are_one_a_pair_where_a_range_has_several) {
  timed_work(compute, 1.0);
  timed_work(compute, 2.0);
  EXPECT_THAT(drained(), ElementsAre(span{compute, 1'030'000, 1'010'000},
                                     span{compute, 2'030'000, 2'010'000}));
}

TEST_F(RangeBrackets, wait_for_the_end_of_what_nobody_timed_yet) {
  event(compute);
  call(operation_kind::copy, compute, 1.0);
  EXPECT_THAT(drained(), IsEmpty()) << "its second event is still to come";
  for (auto& [stream, on] : streams) on.events[0] = 0.0, on.events[1] = 0.01;
  call(operation_kind::copy, compute, 1.0);
  event(compute);
  EXPECT_THAT(drained(), ElementsAre(span{compute, 2'040'000, 2'020'000}));
}

TEST_F(RangeBrackets, say_nothing_of_a_range_without_work) {
  event(compute);
  event(compute);
  timed_work(inputs, 0.5);
  EXPECT_THAT(drained(), ElementsAre(span{inputs, 530'000, 510'000}));
  EXPECT_EQ(lost, 0);
}

TEST_F(RangeBrackets, use_their_events_again_once_they_were_read) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) {
      timed_work(compute, 1.0);
    }
    EXPECT_EQ(drained().size(), 100U);
  }
  EXPECT_EQ(lost, 0);
}

TEST_F(RangeBrackets, count_what_found_no_event) {
  for (int i = 0; i < 700; ++i) {
    timed_work(compute, 1.0);
  }
  EXPECT_EQ(drained().size(), 682U) << "three events each, and one at the begin";
  EXPECT_EQ(lost, 18);
}

TEST_F(RangeBrackets, count_a_span_of_which_an_event_was_refused) {
  event(compute);
  streams[0].refuses = true;
  call(operation_kind::launch, compute, 1.0);
  streams[0].refuses = false;
  event(compute);
  EXPECT_THAT(drained(), IsEmpty());
  EXPECT_EQ(lost, 1);
}

TEST_F(RangeBrackets, count_what_a_lost_device_does_not_tell) {
  timed_work(compute, 1.0);
  streams[0].is_lost = true;
  EXPECT_THAT(drained(), IsEmpty());
  EXPECT_EQ(lost, 1);
}

TEST_F(RangeBrackets, follow_each_stream_for_itself) {
  call(operation_kind::event_record, compute, 0.0, 0);
  call(operation_kind::event_record, inputs, 0.0, 1);
  for (const std::uint32_t stream : {0U, 1U}) {
    const auto range = stream == 0 ? compute : inputs;
    call(operation_kind::launch, range, 1.0 + stream, stream);
    call(operation_kind::event_record, range, 0.0, stream);
  }
  EXPECT_THAT(drained(),
              ElementsAre(span{compute, 1'030'000, 1'010'000}, span{inputs, 2'030'000, 2'010'000}));
}

// A step under a limit: kernels, some of them behind a wait for their weights, one pair around all.
TEST_F(RangeBrackets, hold_the_waits_of_a_step_and_the_events_around_them) {
  event(compute);
  for (const double waited_ms : {0.0, 4.0, 0.5}) {
    if (waited_ms > 0.0) {
      event(paging);
      call(operation_kind::event_wait, paging, waited_ms);
      event(paging);
    }
    call(operation_kind::launch, compute, 1.0);
    event(paging);
  }
  event(compute);
  EXPECT_EQ(streams[0].recorded, 4) << "a wait costs none";
  EXPECT_THAT(drained(), ElementsAre(span{compute, 7'640'000, 7'620'000}));
}

// On the copies' own stream nothing is open around them, and what they wait for is outside.
TEST_F(RangeBrackets, of_page_ins_leave_out_the_waits_for_room) {
  for (const double waited_ms : {0.0, 9.0}) {
    call(operation_kind::event_wait, compute, waited_ms);
    timed_work(paging, 1.0);
  }
  EXPECT_THAT(drained(),
              ElementsAre(span{paging, 1'030'000, 1'010'000}, span{paging, 1'030'000, 1'010'000}));
  EXPECT_EQ(lost, 0);
}

TEST(BracketedDevice, shows_its_calls_and_runs_them) {
  auto host = device::host_device::create({std::uint64_t{1} << 20, 0, 1});
  ASSERT_TRUE(host) << host.error().message;
  test::event_stream seen;
  range_brackets brackets(
      [&](std::uint32_t, std::size_t) -> result<std::unique_ptr<event_source>> {
        return std::unique_ptr<event_source>(std::make_unique<test::stream_events>(seen));
      },
      {});
  bracketed_device front(**host, brackets);
  const auto stream = front.create_stream().value();
  const auto before = front.create_event().value();
  const auto after = front.create_event().value();
  const auto memory = front.allocate(64).value();
  const std::array<std::byte, 64> source{std::byte{7}};
  std::array<std::byte, 64> back{};
  {
    const device::scoped_range range(front, telemetry::range::inputs);
    ASSERT_TRUE(front.record_event(stream, before));
    ASSERT_TRUE(
        front.copy_async(stream, memory.address, source.data(), 64, device::copy_direction::h2d));
    ASSERT_TRUE(front.record_event(stream, after));
  }
  EXPECT_EQ(seen.recorded, 4) << "all before anybody waits";
  ASSERT_TRUE(front.synchronize(stream));
  EXPECT_EQ(seen.recorded, 4) << "a time of the wait would hold what is recorded in it";
  ASSERT_TRUE(
      front.copy_async(stream, back.data(), memory.address, 64, device::copy_direction::d2h));
  ASSERT_TRUE(front.synchronize(stream));
  EXPECT_EQ(back, source);
  EXPECT_EQ(seen.recorded, 4) << "a call without a range is nobody's";
  EXPECT_FALSE(front.copy_async({99}, back.data(), memory.address, 64, device::copy_direction::d2h))
      << "what the device refuses stays refused";
  ASSERT_TRUE(front.free(memory));
}

}  // namespace
}  // namespace assay::probes
