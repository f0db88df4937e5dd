// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a launch could lose a block, run one twice, be over before its last block is,
// or be told of twice, when more than one thread runs it.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/device/host_cores.h"
#include "runtime/device/host_device.h"
#include "tests/device/kernels.h"
#include "tests/device/recording_observer.h"

namespace assay::device {
namespace {

// How often each block ran, and by how many the preparation was preceded.
struct counted {
  std::vector<std::atomic<std::uint32_t>> runs;
  std::atomic<std::uint32_t> prepared{0};
  std::atomic<std::uint32_t> unprepared_blocks{0};
  explicit counted(std::size_t blocks) : runs(blocks) {}
};
struct counted_arguments {
  counted* in;
};
void count_prepare(const counted_arguments& a, block_context& context) {
  a.in->prepared.fetch_add(1);
  context.weight_bytes += 1'000'000;
}
void count_body(const counted_arguments& a, block_context& context) {
  if (a.in->prepared.load() != 1) a.in->unprepared_blocks.fetch_add(1);
  a.in->runs[context.block].fetch_add(1);
  context.weight_bytes += 100 + context.block;
  context.kv_bytes += 7;
}
kernel count_blocks(counted& in, std::uint32_t blocks) {
  return kernel::bind_prepared<counted_arguments, count_prepare, count_body>("count", {&in},
                                                                             blocks);
}

std::unique_ptr<host_device> device_of(std::uint32_t threads, std::int64_t spin_ns = 5'000) {
  return host_device::create({1 << 20, spin_ns, threads}).value();
}

class Pool : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Pool, runs_each_block_once_after_the_preparation_and_tells_once) {
  recording_observer seen;
  const auto device = device_of(GetParam());
  device->set_observer(&seen);
  const stream on = device->create_stream().value();
  std::uint64_t launches = 0;
  for (const std::uint32_t blocks : {1U, 2U, 3U, 64U, 1000U})
    for (int round = 0; round < 20; ++round) {
      counted in(blocks);
      ASSERT_TRUE(device->launch(on, count_blocks(in, blocks)));
      ASSERT_TRUE(device->synchronize(on));
      for (const auto& runs : in.runs) ASSERT_EQ(runs.load(), 1U);
      EXPECT_EQ(in.prepared.load(), 1U);
      EXPECT_EQ(in.unprepared_blocks.load(), 0U);
      ASSERT_EQ(seen.activities().size(), ++launches);
      const activity_record record = seen.activities().back();
      EXPECT_EQ(record.executed_blocks, blocks);
      EXPECT_EQ(record.kv_bytes, 7U * blocks);
      EXPECT_EQ(record.weight_bytes, 1'000'000U + 100U * blocks + blocks * (blocks - 1) / 2);
      EXPECT_LE(record.start_ns, record.end_ns);
    }
}

TEST_P(Pool, two_streams_share_the_helpers) {
  const auto device = device_of(GetParam());
  std::vector<std::thread> submitters;
  for (int s = 0; s < 2; ++s)
    submitters.emplace_back([&device, on = device->create_stream().value()] {
      for (int round = 0; round < 300; ++round) {
        counted in(5);
        ASSERT_TRUE(device->launch(on, count_blocks(in, 5)));
        ASSERT_TRUE(device->synchronize(on));
        for (const auto& runs : in.runs) ASSERT_EQ(runs.load(), 1U);
      }
    });
  for (std::thread& each : submitters) each.join();
}

INSTANTIATE_TEST_SUITE_P(Threads, Pool, testing::Values(1U, 2U, 3U, 7U));

// Blocks wait for each other: it ends only where as many threads as blocks run at once.
struct meeting {
  std::atomic<std::uint32_t> present{0};
};
struct meeting_arguments {
  meeting* at;
};
void meet_body(const meeting_arguments& a, block_context& context) {
  a.at->present.fetch_add(1);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (a.at->present.load() < context.blocks && std::chrono::steady_clock::now() < give_up)
    std::this_thread::yield();
}

TEST(PoolThreads, run_blocks_at_the_same_time) {
  const auto device = device_of(3, 0);
  const stream on = device->create_stream().value();
  meeting at;
  ASSERT_TRUE(device->launch(
      on, kernel::bind<meeting_arguments, meet_body>("meet", meeting_arguments{&at}, 3)));
  ASSERT_TRUE(device->synchronize(on));
  EXPECT_EQ(at.present.load(), 3U);
}

// The last block is held up: the record must not end before it.
struct slow_arguments {
  std::atomic<std::int64_t>* ended_ns;
};
void slow_body(const slow_arguments& a, block_context& context) {
  if (context.block + 1 < context.blocks) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  a.ended_ns->store(host_now().ns);
}

TEST(PoolThreads, a_launch_ends_after_its_last_block) {
  recording_observer seen;
  const auto device = device_of(3);
  device->set_observer(&seen);
  const stream on = device->create_stream().value();
  for (int round = 0; round < 5; ++round) {
    std::atomic<std::int64_t> ended_ns{0};
    ASSERT_TRUE(device->launch(
        on, kernel::bind<slow_arguments, slow_body>("slow", slow_arguments{&ended_ns}, 8)));
    ASSERT_TRUE(device->synchronize(on));
    EXPECT_GE(seen.activities().back().end_ns, ended_ns.load());
    EXPECT_NE(ended_ns.load(), 0);
  }
}

TEST(PoolThreads, their_tids_follow_the_streams) {
  const auto device = device_of(3);
  ASSERT_TRUE(device->create_stream());
  EXPECT_EQ(device->launch_threads(), 3U);
  EXPECT_EQ(device->worker_tids().size(), 3U);
}

TEST(PoolThreads, are_as_many_as_cores_where_nobody_says) {
  EXPECT_EQ(device_of(0)->launch_threads(), usable_cores());
  EXPECT_FALSE(host_device::create({1 << 20, 5'000, 1000}));
}

TEST(Cores, quota_is_rounded_up_and_what_is_none_is_none) {
  EXPECT_EQ(cores_of_quota("200000 100000"), 2U);
  EXPECT_EQ(cores_of_quota("150000 100000"), 2U);
  EXPECT_EQ(cores_of_quota("5000 100000"), 1U);
  for (const char* text : {"max 100000", "", "100000", "0 100000", "1 0", "1 2 3", "-1 100000"})
    EXPECT_FALSE(cores_of_quota(text)) << text;
}

}  // namespace
}  // namespace assay::device
