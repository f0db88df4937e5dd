// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a block could be lost or run twice where two threads reach for it, or a thread
// could be given blocks that lie apart, which costs a fifth of the memory's rate and fails nothing.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/device/block_shares.h"

namespace assay::device {
namespace {

std::vector<std::uint32_t> take_all(block_shares& from, std::uint32_t thread) {
  std::vector<std::uint32_t> taken;
  while (const auto block = from.take(thread)) taken.push_back(*block);
  return taken;
}

std::vector<std::uint32_t> numbers(std::uint32_t begin, std::uint32_t end) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = begin; i < end; ++i) all.push_back(i);
  return all;
}

TEST(BlockShares, give_a_thread_alone_all_blocks_in_order) {
  block_shares shares(3);
  EXPECT_FALSE(shares.take(0));
  for (const std::uint32_t blocks : {1U, 2U, 9U}) {
    shares.deal(blocks);
    EXPECT_EQ(take_all(shares, 0), numbers(0, blocks));
    EXPECT_FALSE(shares.take(2));
  }
}

TEST(BlockShares, give_two_threads_neighbours) {
  block_shares shares(2);
  shares.deal(9);
  EXPECT_EQ(shares.take(0), 0U);
  EXPECT_EQ(shares.take(1), 5U);
  for (std::uint32_t i = 1; i < 4; ++i) {
    EXPECT_EQ(shares.take(0), i);
    EXPECT_EQ(shares.take(1), 5 + i);
  }
  EXPECT_EQ(shares.take(1), 4U);
  EXPECT_FALSE(shares.take(0));
}

TEST(BlockShares, a_thread_that_is_gone_leaves_its_share_to_others) {
  block_shares shares(3);
  shares.deal(16);
  EXPECT_EQ(shares.take(1), 8U);
  EXPECT_EQ(shares.take(2), 4U);
  std::vector<std::uint32_t> taken = take_all(shares, 0);
  EXPECT_EQ(taken.size(), 14U);
  std::sort(taken.begin(), taken.end());
  std::vector<std::uint32_t> others = numbers(0, 16);
  std::erase(others, 8U);
  std::erase(others, 4U);
  EXPECT_EQ(taken, others);
}

TEST(BlockShares, more_blocks_than_any_launch_has_fit) {
  block_shares shares(2);
  shares.deal(UINT32_MAX);
  EXPECT_EQ(shares.take(1), UINT32_MAX / 2);
  EXPECT_EQ(shares.take(0), 0U);
}

// The takers never wait for a deal, as helpers that are late for one launch do not: some are still
// looking, or hold what they just took, when the next is dealt. Every other round is theirs alone.
TEST(BlockShares, lose_nothing_to_takers_that_are_late) {
  constexpr std::uint32_t takers = 2;
  constexpr std::uint32_t rounds = 20'000;
  block_shares shares(takers + 1);
  std::vector<std::atomic<std::uint32_t>> runs(23);
  std::atomic<std::uint32_t> over{0};
  std::atomic<bool> is_ended{false};
  const auto run_what_is_there = [&](std::uint32_t thread) {
    while (const auto block = shares.take(thread)) {
      for (std::atomic<std::uint32_t> held{0}; held.load() < *block * 4; held.fetch_add(1)) {
      }
      runs[*block].fetch_add(1);
      over.fetch_add(1);
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t t = 1; t <= takers; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t look = 0; !is_ended.load(); ++look) {
        run_what_is_there(t);
        if (look % 64 == 63) std::this_thread::yield();
      }
    });
  std::uint32_t dealt = 0;
  std::uint32_t round = 0;
  for (; round < rounds && !testing::Test::HasFailure(); ++round) {
    const std::uint32_t blocks = 1 + round % static_cast<std::uint32_t>(runs.size());
    shares.deal(blocks);
    dealt += blocks;
    if (round % 2 == 0) run_what_is_there(0);
    // A lost block would be waited for without end.
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (over.load() < dealt && std::chrono::steady_clock::now() < give_up)
      std::this_thread::yield();
    for (std::uint32_t b = 0; b < runs.size(); ++b)
      EXPECT_EQ(runs[b].exchange(0), b < blocks ? 1U : 0U) << "round " << round << ", block " << b;
  }
  is_ended.store(true);
  for (std::thread& each : threads) each.join();
}

TEST(BlockShares, name_the_block_that_each_thread_takes_first) {
  for (const std::uint32_t threads : {1U, 2U, 3U, 7U})
    for (const std::uint32_t blocks : {1U, 2U, 5U, 48U}) {
      block_shares shares(threads);
      shares.deal(blocks);
      // Beyond that, threads take from each other, and who comes first decides.
      for (std::uint32_t t = 1; t < threads && blocks >= 1U << t; ++t)
        EXPECT_EQ(shares.take(t), block_shares::first_block_of(t, blocks)) << t << " of " << blocks;
      EXPECT_EQ(block_shares::first_block_of(0, blocks), 0U);
    }
}

}  // namespace
}  // namespace assay::device
