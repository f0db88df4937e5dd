// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: the second party to a time of waiting could hold a kernel's time, miss a wait, or
// be told by the device that it is to contradict.
#include "probes/cuda_events/wait_brackets.h"

#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/cuda_events/bracketed_device.h"
#include "probes/host_device/host_device_probe.h"
#include "probes/host_stamps/host_stamps.h"
#include "runtime/device/host_device.h"
#include "runtime/telemetry/range.h"
#include "tests/probes/event_stream.h"
#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using device::operation_kind;

constexpr auto waits_range = static_cast<device::range_label>(telemetry::range::paging);
constexpr auto steps_range = static_cast<device::range_label>(telemetry::range::compute);

class WaitBrackets : public testing::Test {
 protected:
  void call(operation_kind kind, device::range_label range, double took_ms = 0.0,
            std::uint32_t stream = 0) {
    test::tell_call(brackets, streams, stream, kind, range, took_ms);
  }
  void timed_wait(double took_ms) {
    call(operation_kind::event_record, waits_range);
    call(operation_kind::event_wait, waits_range, took_ms);
    call(operation_kind::event_record, waits_range);
  }
  std::vector<assay_record> drained() {
    test::recorded_trace trace;
    EXPECT_TRUE(brackets.drain(trace));
    for (auto& [stream, on] : streams) on.events.clear();
    for (const assay_record& each : trace.of_kind(ASSAY_LOSS)) lost += each.amount;
    return trace.of_kind(ASSAY_EVENT_SPAN);
  }

  std::map<std::uint32_t, test::event_stream> streams;
  wait_brackets brackets{
      [this](std::uint32_t stream, std::size_t) -> result<std::unique_ptr<event_source>> {
        return std::unique_ptr<event_source>(
            std::make_unique<test::stream_events>(streams[stream]));
      },
      waits_range};
  std::int64_t lost = 0;
};

// The pair of whoever timed it says 4.01 ms and a hand-over.
TEST_F(WaitBrackets, enclose_a_wait_and_lie_within_its_events) {
  for (int pass = 0; pass < 3; ++pass) {
    timed_wait(4.0);
    call(operation_kind::launch, steps_range, 9.0);
    call(operation_kind::event_record, waits_range);  // behind the kernel that read
    timed_wait(0.0);
    call(operation_kind::launch, steps_range, 9.0);
    const auto spans = drained();
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_EQ(spans[0].op, ASSAY_OP_WAIT);
    EXPECT_EQ(spans[0].range, waits_range);
    EXPECT_NEAR(static_cast<double>(spans[0].extra[0]), 4'010'000, 1'000);
    EXPECT_NEAR(static_cast<double>(spans[0].amount), 4'030'000, 1'000);
    EXPECT_NEAR(static_cast<double>(spans[1].extra[0]), 10'000, 1'000);
    EXPECT_NEAR(static_cast<double>(spans[1].amount), 30'000, 1'000);
  }
  EXPECT_EQ(lost, 0);
}

TEST_F(WaitBrackets, leave_copies_and_waits_that_nobody_times_alone) {
  call(operation_kind::event_wait, waits_range, 3.0);
  call(operation_kind::event_record, waits_range);  // and ends no wait
  call(operation_kind::launch, steps_range, 9.0);
  // The event of before the kernel is not this wait's: a span would hold the kernel.
  call(operation_kind::event_wait, waits_range);
  call(operation_kind::event_record, waits_range);
  for (int i = 0; i < 2; ++i) {
    call(operation_kind::event_record, waits_range, 0.0, 1);
    call(operation_kind::copy, waits_range, 2.0, 1);
    call(operation_kind::event_record, waits_range, 0.0, 1);
  }
  EXPECT_LE(streams[1].events.size(), 1U) << "the other side's stream gets no events";
  EXPECT_TRUE(drained().empty());
  EXPECT_EQ(lost, 0);
}

TEST_F(WaitBrackets, count_what_found_no_event) {
  streams[0].refuses = true;
  timed_wait(1.0);
  streams[0].refuses = false;
  timed_wait(1.0);
  EXPECT_EQ(drained().size(), 1U);
  EXPECT_EQ(lost, 1);
}

// The executor's own word on the same wait lies between the two, and no record shows the stamps.
TEST(HostStamps, enclose_the_hosts_own_events_and_leave_no_record) {
  host_device_probe probe;
  auto made = device::host_device::create({std::uint64_t{1} << 20, 0, 1});
  ASSERT_TRUE(made) << made.error().message;
  device::host_device& host = **made;
  host.set_observer(&probe);
  const auto make = [&](std::uint32_t stream,
                        std::size_t count) -> result<std::unique_ptr<event_source>> {
    return std::unique_ptr<event_source>(std::make_unique<host_stamps>(
        host, device::stream{stream}, count, host_device_probe::own_work));
  };
  const device::range_label others[]{steps_range, waits_range};
  range_brackets none(make, others);
  wait_brackets waits(make, waits_range);
  bracketed_device front(host, none, {}, &waits);
  const auto reader = front.create_stream().value();
  const auto writer = front.create_stream().value();
  const auto before = front.create_event().value();
  const auto after = front.create_event().value();
  const auto done = front.create_event().value();
  const auto memory = front.allocate(std::uint64_t{1} << 19).value();
  const std::vector<std::byte> source(memory.bytes, std::byte{7});
  {
    const device::scoped_range label(front, telemetry::range::embedding);
    for (int i = 0; i < 50; ++i)
      ASSERT_TRUE(front.copy_async(writer, memory.address, source.data(), memory.bytes,
                                   device::copy_direction::h2d));
    ASSERT_TRUE(front.record_event(writer, done));
  }
  {
    const device::scoped_range label(front, telemetry::range::paging);
    ASSERT_TRUE(front.record_event(reader, before));
    ASSERT_TRUE(front.wait_event(reader, done));
    ASSERT_TRUE(front.record_event(reader, after));
  }
  ASSERT_TRUE(front.synchronize(reader));
  const std::int64_t told_ns = front.elapsed_ns(before, after).value();
  test::recorded_trace trace;
  ASSERT_TRUE(waits.drain(trace));
  ASSERT_TRUE(front.synchronize(writer));
  ASSERT_TRUE(probe.drain(trace));
  const auto spans = trace.of_kind(ASSAY_EVENT_SPAN);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_LE(spans[0].extra[0] - spans[0].extra[1], told_ns);
  EXPECT_GE(spans[0].amount + spans[0].extra[1], told_ns);
  EXPECT_GT(told_ns, 0);
  for (const assay_record& each : trace.all) {
    EXPECT_NE(each.range, host_device_probe::own_work);
    EXPECT_FALSE(each.kind == ASSAY_ACTIVITY && each.op == ASSAY_OP_LAUNCH);
  }
  ASSERT_TRUE(front.free(memory));
}

}  // namespace
}  // namespace assay::probes
