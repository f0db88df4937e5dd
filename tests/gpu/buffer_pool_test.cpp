// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a driver that fills its buffers faster than they are read would take more and more
// memory, or write into one that is being read.
#include "probes/cupti/buffer_pool.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace assay::test {
namespace {

using probes::buffer_pool;

TEST(BufferPool, hands_out_each_buffer_once_and_counts_what_it_denied) {
  buffer_pool pool(3, 1001);
  EXPECT_EQ(pool.buffer_bytes(), 1000U);
  std::set<std::uint8_t*> taken;
  for (int i = 0; i < 3; ++i) taken.insert(pool.take());
  EXPECT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken.count(nullptr), 0U);
  for (std::uint8_t* each : taken) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(each) % 8, 0U);
  EXPECT_EQ(pool.take(), nullptr);
  EXPECT_EQ(pool.take(), nullptr);
  EXPECT_EQ(pool.denied_count(), 2U);
}

TEST(BufferPool, keeps_a_filled_buffer_until_it_was_read) {
  buffer_pool pool(1, 1024);
  std::uint8_t* data = pool.take();
  pool.fill(data, 72);
  EXPECT_EQ(pool.take(), nullptr);
  const auto filled = pool.filled();
  ASSERT_EQ(filled.size(), 1U);
  EXPECT_EQ(filled[0].data, data);
  EXPECT_EQ(filled[0].valid_bytes, 72U);
  EXPECT_EQ(pool.take(), nullptr) << "it is being read";
  EXPECT_TRUE(pool.filled().empty());
  pool.give_back(data);
  EXPECT_EQ(pool.take(), data);
  pool.fill(data, 0);
  EXPECT_TRUE(pool.filled().empty());
  EXPECT_EQ(pool.take(), data);
}

TEST(BufferPool, hands_out_nothing_but_zeros) {
  buffer_pool pool(1, 64);
  std::uint8_t* data = pool.take();
  EXPECT_EQ(std::count(data, data + 64, 0), 64);
  std::fill_n(data, 64, std::uint8_t{7});
  pool.fill(data, 8);
  ASSERT_EQ(pool.filled().size(), 1U);
  pool.give_back(data);
  ASSERT_EQ(pool.take(), data);
  EXPECT_EQ(std::count(data, data + 64, 0), 64) << "beyond its last record too";
}

}  // namespace
}  // namespace assay::test
