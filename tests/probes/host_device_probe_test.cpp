// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a record that the probe loses, repeats or files under the wrong range would make a
// right counter look wrong, and a full ring would look like an idle device.
#include "probes/host_device/host_device_probe.h"

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using device::copy_direction;
using device::operation_kind;
using test::recorded_trace;

device::submission_record copy_asked(std::uint64_t correlation, device::range_label range) {
  return {.correlation = correlation,
          .kind = operation_kind::copy,
          .direction = copy_direction::d2h,
          .accepted = true,
          .stream = 3,
          .range = range,
          .call_start_ns = 100,
          .call_end_ns = 150,
          .asked_bytes = 4096};
}

device::activity_record copy_done(std::uint64_t correlation) {
  return {.correlation = correlation,
          .kind = operation_kind::copy,
          .direction = copy_direction::d2h,
          .stream = 3,
          .worker_tid = 77,
          .start_ns = 200,
          .end_ns = 300,
          .moved_bytes = 4095,
          .executed_blocks = 0,
          .weight_bytes = 0,
          .kv_bytes = 0};
}

TEST(HostDeviceProbe, writes_each_field_of_a_submission) {
  host_device_probe probe;
  auto asked = copy_asked(9, 5);
  probe.on_submission(asked);
  asked.accepted = false;
  asked.kind = operation_kind::synchronize;
  probe.on_submission(asked);
  recorded_trace trace;
  ASSERT_TRUE(probe.drain(trace));
  ASSERT_EQ(trace.all.size(), 2u);
  const assay_record& copy = trace.all[0];
  EXPECT_EQ(copy.kind, ASSAY_SUBMISSION);
  EXPECT_EQ(copy.op, ASSAY_OP_COPY);
  EXPECT_EQ(copy.direction, ASSAY_D2H);
  EXPECT_EQ(copy.flags, 0);
  EXPECT_EQ(copy.range, 5);
  EXPECT_EQ(copy.stream, 3u);
  EXPECT_NE(copy.tid, 0u);
  EXPECT_EQ(copy.correlation, 9u);
  EXPECT_EQ(copy.start_ns, 100);
  EXPECT_EQ(copy.end_ns, 150);
  EXPECT_EQ(copy.amount, 4096);
  const assay_record& sync = trace.all[1];
  EXPECT_EQ(sync.op, ASSAY_OP_SYNC);
  EXPECT_EQ(sync.direction, 0) << "only a copy has a direction";
  EXPECT_EQ(sync.flags, 1) << "a refused call must not look like an accepted one";
  EXPECT_EQ(sync.amount, 0);
}

TEST(HostDeviceProbe, a_wait_says_which_recording_it_waits_for_and_no_other_call_does) {
  host_device_probe probe;
  auto asked = copy_asked(9, 5);
  probe.on_submission(asked);
  asked.kind = operation_kind::event_wait;
  asked.awaited = 7;
  probe.on_submission(asked);
  recorded_trace trace;
  ASSERT_TRUE(probe.drain(trace));
  ASSERT_EQ(trace.all.size(), 2u);
  EXPECT_EQ(trace.all[0].extra[0], 0);
  EXPECT_EQ(trace.all[1].op, ASSAY_OP_WAIT);
  EXPECT_EQ(trace.all[1].extra[0], 7);
}

TEST(HostDeviceProbe, writes_each_field_of_an_activity) {
  host_device_probe probe;
  probe.on_submission(copy_asked(9, 5));
  probe.on_activity(copy_done(9));
  auto launch = copy_done(10);
  launch.kind = operation_kind::launch;
  launch.moved_bytes = 0;
  launch.executed_blocks = 11;
  launch.weight_bytes = 12;
  launch.kv_bytes = 13;
  probe.on_activity(launch);
  recorded_trace trace;
  ASSERT_TRUE(probe.drain(trace));
  const auto activities = trace.of_kind(ASSAY_ACTIVITY);
  ASSERT_EQ(activities.size(), 2u);
  EXPECT_EQ(activities[0].op, ASSAY_OP_COPY);
  EXPECT_EQ(activities[0].direction, ASSAY_D2H);
  EXPECT_EQ(activities[0].range, 5);
  EXPECT_EQ(activities[0].stream, 3u);
  EXPECT_EQ(activities[0].tid, 77u);
  EXPECT_EQ(activities[0].start_ns, 200);
  EXPECT_EQ(activities[0].end_ns, 300);
  EXPECT_EQ(activities[0].amount, 4095) << "what was moved, not what was asked";
  EXPECT_EQ(activities[1].op, ASSAY_OP_LAUNCH);
  EXPECT_EQ(activities[1].direction, 0);
  EXPECT_EQ(activities[1].range, 0) << "its submission was never seen";
  EXPECT_THAT(activities[1].extra, testing::ElementsAre(11, 12, 13));
}

TEST(HostDeviceProbe, writes_allocations_and_frees) {
  host_device_probe probe;
  probe.on_memory({.is_allocation = true,
                   .range = 6,
                   .address = 640,
                   .bytes = 128,
                   .at_ns = 7,
                   .call_start_ns = 3});
  probe.on_memory({.is_allocation = false, .range = 6, .address = 640, .bytes = 128, .at_ns = 8});
  recorded_trace trace;
  ASSERT_TRUE(probe.drain(trace));
  ASSERT_EQ(trace.all.size(), 2u);
  EXPECT_EQ(trace.all[0].kind, ASSAY_MEMORY);
  EXPECT_EQ(trace.all[0].op, 1);
  EXPECT_EQ(trace.all[1].op, 2);
  EXPECT_EQ(trace.all[0].range, 6);
  EXPECT_EQ(trace.all[0].correlation, 640u);
  EXPECT_EQ(trace.all[0].amount, 128);
  EXPECT_EQ(trace.all[0].start_ns, 7);
  EXPECT_EQ(trace.all[0].extra[0], 4);
  EXPECT_EQ(trace.all[1].extra[0], 0) << "nobody told when it was called";
}

TEST(HostDeviceProbe, files_a_submission_before_its_activity) {
  host_device_probe probe;
  std::thread worker([&] { probe.on_activity(copy_done(1)); });
  worker.join();
  probe.on_submission(copy_asked(1, 4));
  recorded_trace trace;
  ASSERT_TRUE(probe.drain(trace));
  ASSERT_EQ(trace.all.size(), 2u);
  EXPECT_EQ(trace.all[0].kind, ASSAY_SUBMISSION);
  EXPECT_EQ(trace.all[1].kind, ASSAY_ACTIVITY);
  EXPECT_EQ(trace.all[1].range, 4);
}

TEST(HostDeviceProbe, remembers_a_range_from_an_earlier_drain) {
  host_device_probe probe;
  recorded_trace trace;
  probe.on_submission(copy_asked(1, 4));
  ASSERT_TRUE(probe.drain(trace));
  probe.on_activity(copy_done(1));
  ASSERT_TRUE(probe.drain(trace));
  EXPECT_EQ(trace.all.back().range, 4);
}

TEST(HostDeviceProbe, forgets_a_range_rather_than_mistake_it) {
  constexpr std::size_t ring_records = 8;
  host_device_probe probe(ring_records);
  recorded_trace trace;
  probe.on_submission(copy_asked(1, 4));
  probe.on_submission(copy_asked(1 + ring_records, 2));
  probe.on_activity(copy_done(1));
  ASSERT_TRUE(probe.drain(trace));
  EXPECT_EQ(trace.all.back().range, 0);
}

TEST(HostDeviceProbe, counts_exactly_what_a_full_ring_drops) {
  host_device_probe probe(8);
  for (std::uint64_t i = 1; i <= 11; ++i) probe.on_submission(copy_asked(i, 1));
  for (std::uint64_t i = 1; i <= 10; ++i) probe.on_activity(copy_done(i));
  EXPECT_EQ(probe.lost_count(), 5u);
  recorded_trace trace;
  ASSERT_TRUE(probe.drain(trace));
  EXPECT_EQ(trace.of_kind(ASSAY_SUBMISSION).size(), 8u);
  EXPECT_EQ(trace.of_kind(ASSAY_ACTIVITY).size(), 8u);
  const auto losses = trace.of_kind(ASSAY_LOSS);
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].amount, 5);
  EXPECT_EQ(losses[0].direction, ASSAY_SOURCE_DEVICE_RECORDS);
}

TEST(HostDeviceProbe, tells_a_loss_once_and_the_next_one_anew) {
  host_device_probe probe(4);
  recorded_trace trace;
  for (int round = 1; round <= 3; ++round) {
    for (std::uint64_t i = 1; i <= 4u + static_cast<std::uint64_t>(round); ++i)
      probe.on_submission(copy_asked(i, 1));
    ASSERT_TRUE(probe.drain(trace));
    ASSERT_TRUE(probe.drain(trace));
  }
  const auto losses = trace.of_kind(ASSAY_LOSS);
  ASSERT_EQ(losses.size(), 3u);
  EXPECT_EQ(losses[0].amount, 1);
  EXPECT_EQ(losses[2].amount, 3);
}

TEST(HostDeviceProbe, keeps_what_the_sink_refused) {
  host_device_probe probe(4);
  recorded_trace trace;
  for (std::uint64_t i = 1; i <= 5; ++i) probe.on_submission(copy_asked(i, 1));
  probe.on_activity(copy_done(1));
  trace.refuses = true;
  const auto refused = probe.drain(trace);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::io);
  trace.refuses = false;
  ASSERT_TRUE(probe.drain(trace));
  EXPECT_EQ(trace.of_kind(ASSAY_SUBMISSION).size(), 4u);
  EXPECT_EQ(trace.of_kind(ASSAY_ACTIVITY).size(), 1u);
  EXPECT_EQ(trace.of_kind(ASSAY_LOSS).size(), 1u);
}

TEST(HostDeviceProbe, keeps_order_over_many_turns_of_the_ring) {
  host_device_probe probe(8);
  recorded_trace trace;
  std::uint64_t next = 1;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 5; ++i) probe.on_submission(copy_asked(next++, 1));
    ASSERT_TRUE(probe.drain(trace));
  }
  ASSERT_EQ(trace.all.size(), 250u);
  for (std::size_t i = 0; i < trace.all.size(); ++i) EXPECT_EQ(trace.all[i].correlation, i + 1);
}

TEST(HostDeviceProbe, keeps_two_probes_on_one_thread_apart) {
  constexpr std::size_t each = 2 * ring_set::max_threads;  // a ring a turn would run out
  host_device_probe first(256);
  host_device_probe second(256);
  for (std::uint64_t i = 1; i <= 2 * each; ++i)
    (i % 2 ? first : second).on_submission(copy_asked(i, 1));
  recorded_trace of_first;
  recorded_trace of_second;
  ASSERT_TRUE(first.drain(of_first));
  ASSERT_TRUE(second.drain(of_second));
  ASSERT_EQ(of_first.all.size(), each);
  ASSERT_EQ(of_second.all.size(), each);
  EXPECT_EQ(of_first.all[1].correlation, 3u);
  EXPECT_EQ(of_second.all[1].correlation, 4u);
}

TEST(HostDeviceProbe, counts_records_of_threads_beyond_its_limit) {
  host_device_probe probe(4);
  for (std::size_t i = 0; i < ring_set::max_threads + 3; ++i)
    std::thread([&] { probe.on_submission(copy_asked(1, 1)); }).join();
  EXPECT_EQ(probe.lost_count(), 3u);
}

// Callers and workers at once with the drain: nothing is lost but what is counted, nothing comes
// twice, each thread's order stands.
TEST(HostDeviceProbe, accounts_for_each_record_under_contention) {
  constexpr std::uint64_t per_thread = 20'000;
  constexpr std::uint32_t pairs = 2;
  host_device_probe probe(256);
  recorded_trace trace;
  std::atomic<std::uint32_t> running{2 * pairs};
  std::vector<std::thread> threads;
  for (std::uint32_t pair = 0; pair < pairs; ++pair) {
    threads.emplace_back([&, pair] {
      for (std::uint64_t i = 1; i <= per_thread; ++i) {
        auto asked = copy_asked(i * pairs + pair, 2);
        asked.stream = pair;
        probe.on_submission(asked);
      }
      --running;
    });
    threads.emplace_back([&, pair] {
      for (std::uint64_t i = 1; i <= per_thread; ++i) {
        auto done = copy_done(i * pairs + pair);
        done.stream = pair;
        probe.on_activity(done);
      }
      --running;
    });
  }
  while (running > 0) ASSERT_TRUE(probe.drain(trace));
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE(probe.drain(trace));

  std::uint64_t told_lost = 0;
  std::uint64_t kept = 0;
  std::uint64_t latest[2][pairs] = {};
  for (const auto& record : trace.all) {
    if (record.kind == ASSAY_LOSS) {
      told_lost += static_cast<std::uint64_t>(record.amount);
      continue;
    }
    ++kept;
    std::uint64_t& before = latest[record.kind == ASSAY_ACTIVITY][record.stream];
    ASSERT_LT(before, record.correlation) << "twice or out of order";
    before = record.correlation;
    ASSERT_TRUE(record.range == 2 || record.kind == ASSAY_ACTIVITY);
  }
  EXPECT_EQ(kept + told_lost, 2 * pairs * per_thread);
  EXPECT_EQ(told_lost, probe.lost_count());
}

}  // namespace
}  // namespace assay::probes
