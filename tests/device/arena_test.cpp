// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file an arena that hands memory out twice, loses it when it is freed, or lets a run
// exceed its byte limit would go unnoticed; so would an error that does not say what did not fit.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/host_arena.h"
#include "runtime/telemetry/clock.h"
#include "tests/device/recording_observer.h"

namespace assay::device {
namespace {

std::unique_ptr<host_arena> arena_of(std::uint64_t limit_bytes) {
  return host_arena::create(limit_bytes).value();
}

TEST(Arena, out_of_memory_names_limit_live_asked_and_largest_free_block) {
  const auto arena = arena_of(1024);
  const auto a = arena->allocate(256, 0, nullptr).value();
  ASSERT_TRUE(arena->allocate(500, 0, nullptr));  // granted 512
  ASSERT_TRUE(arena->free(a.address, 0, nullptr));
  const auto refused = arena->allocate(300, 0, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::out_of_memory);
  EXPECT_EQ(
      refused.error().message,
      "device arena: 300 bytes asked, largest free block 256 bytes, 512 bytes live of a limit "
      "of 1024; raise the limit");
}

TEST(Arena, asks_that_overflow_are_out_of_memory) {
  const auto arena = arena_of(1 << 16);
  for (const std::uint64_t bytes :
       {~std::uint64_t{0}, ~std::uint64_t{0} - 62, std::uint64_t{65537}})
    EXPECT_FALSE(arena->allocate(bytes, 0, nullptr)) << bytes;
  EXPECT_TRUE(arena->allocate(1 << 16, 0, nullptr));
}

TEST(Arena, never_grants_beyond_a_limit_that_is_no_multiple_of_the_alignment) {
  const auto arena = arena_of(100);
  EXPECT_TRUE(arena->allocate(64, 0, nullptr));
  EXPECT_FALSE(arena->allocate(1, 0, nullptr));
  EXPECT_EQ(arena->limit_bytes(), 100u);
}

TEST(Arena, refuses_a_limit_that_cannot_be) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    const auto made = host_arena::create(bytes);
    ASSERT_FALSE(made) << bytes;
    EXPECT_EQ(made.error().kind, error_kind::usage);
  }
}

// A limit below the least grant is one that somebody gave: the refusal names what was asked for.
TEST(Arena, below_one_grant_grants_nothing_and_says_its_limit) {
  const auto refused = arena_of(63)->allocate(1, 0, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::out_of_memory);
  EXPECT_NE(refused.error().message.find("limit of 63"), std::string::npos);
}

TEST(Arena, refuses_nothing_and_addresses_that_are_not_live) {
  const auto arena = arena_of(4096);
  EXPECT_EQ(arena->allocate(0, 0, nullptr).error().kind, error_kind::usage);
  const auto a = arena->allocate(128, 0, nullptr).value();
  EXPECT_EQ(arena->free(a.address + 64, 0, nullptr).error().kind, error_kind::usage);
  EXPECT_EQ(arena->free(nullptr, 0, nullptr).error().kind, error_kind::usage);
  EXPECT_TRUE(arena->free(a.address, 0, nullptr));
  EXPECT_EQ(arena->free(a.address, 0, nullptr).error().kind, error_kind::usage);
}

TEST(Arena, three_neighbours_merge_in_every_order_of_freeing) {
  const std::vector<std::vector<std::size_t>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    const auto arena = arena_of(192);
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 3; ++i) blocks.push_back(arena->allocate(64, 0, nullptr).value().address);
    for (const std::size_t i : order) ASSERT_TRUE(arena->free(blocks[i], 0, nullptr));
    EXPECT_TRUE(arena->allocate(192, 0, nullptr));
  }
}

/// The same arena as a list of taken intervals, without a free list.
class interval_model {
 public:
  explicit interval_model(std::uint64_t limit) : limit_(limit) {}

  std::uint64_t largest_gap() const {
    std::uint64_t largest = 0;
    std::uint64_t end = 0;
    for (const auto& [offset, bytes] : taken_) {
      largest = std::max(largest, offset - end);
      end = offset + bytes;
    }
    return std::max(largest, limit_ - end);
  }
  bool is_free(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset + bytes > limit_) return false;
    for (const auto& [begin, length] : taken_)
      if (offset < begin + length && begin < offset + bytes) return false;
    return true;
  }
  void take(std::uint64_t offset, std::uint64_t bytes) { taken_[offset] = bytes; }
  void give(std::uint64_t offset) { taken_.erase(offset); }
  std::uint64_t live() const {
    std::uint64_t sum = 0;
    for (const auto& [offset, bytes] : taken_) sum += bytes;
    return sum;
  }

 private:
  std::uint64_t limit_;
  std::map<std::uint64_t, std::uint64_t> taken_;
};

TEST(Arena, agrees_with_a_model_over_random_allocations) {
  constexpr std::uint64_t limit = 64 * 1024;
  const auto arena = arena_of(limit);
  interval_model model(limit);
  std::mt19937 random(20240229);
  const std::byte* base = arena->allocate(64, 0, nullptr).value().address;
  ASSERT_TRUE(arena->free(base, 0, nullptr));
  std::vector<host_arena::grant> live;
  int refusals = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (live.empty() || random() % 100 < 53) {
      const std::uint64_t asked = 1 + random() % 4000;
      const std::uint64_t granted = (asked + 63) / 64 * 64;
      const auto got = arena->allocate(asked, 0, nullptr);
      ASSERT_EQ(got.has_value(), granted <= model.largest_gap()) << "step " << step;
      if (!got) {
        ++refusals;
        continue;
      }
      const auto offset = static_cast<std::uint64_t>(got->address - base);
      ASSERT_EQ(got->bytes, granted);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(got->address) % 64, 0u);
      ASSERT_TRUE(model.is_free(offset, granted)) << "step " << step;
      model.take(offset, granted);
      live.push_back(*got);
    } else {
      const std::size_t index = random() % live.size();
      ASSERT_TRUE(arena->free(live[index].address, 0, nullptr));
      model.give(static_cast<std::uint64_t>(live[index].address - base));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(index));
    }
    ASSERT_EQ(arena->live_bytes(), model.live());
  }
  EXPECT_GT(refusals, 100);  // else fragmentation was never met
}

/// Keeps the arena for itself while it is told of something.
class slow_memory_observer final : public observer {
 public:
  void on_submission(const submission_record&) noexcept override {}
  void on_activity(const activity_record&) noexcept override {}
  void on_memory(const memory_record&) noexcept override {
    is_inside.store(true);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::atomic<bool> is_inside{false};
};

// A call is as long as its caller is held up, whatever the arena itself does meanwhile.
TEST(Arena, tells_how_long_a_call_took) {
  const auto arena = arena_of(4096);
  slow_memory_observer slow;
  std::thread other([&] { (void)arena->allocate(64, 1, &slow); });
  while (!slow.is_inside.load()) std::this_thread::yield();
  recording_observer seen;
  const std::int64_t before_ns = host_now().ns;
  const auto mine = arena->allocate(64, 2, &seen);
  const std::int64_t after_ns = host_now().ns;
  other.join();
  ASSERT_TRUE(mine);
  ASSERT_TRUE(arena->free(mine->address, 2, &seen));
  const auto records = seen.memory();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_GE(records[0].call_start_ns, before_ns);
  EXPECT_LE(records[0].at_ns, after_ns);
  EXPECT_GE(records[0].at_ns - records[0].call_start_ns, 10'000'000);
  EXPECT_GE(records[1].call_start_ns, after_ns);
  EXPECT_GE(records[1].at_ns, records[1].call_start_ns);
}

TEST(Arena, records_what_it_granted_and_took_back) {
  const auto arena = arena_of(4096);
  recording_observer seen;
  const auto a = arena->allocate(100, 6, &seen).value();
  ASSERT_FALSE(arena->allocate(5000, 6, &seen));
  ASSERT_TRUE(arena->free(a.address, 2, &seen));
  const auto records = seen.memory();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_TRUE(records[0].is_allocation);
  EXPECT_FALSE(records[1].is_allocation);
  EXPECT_EQ(records[0].bytes, 128u);
  EXPECT_EQ(records[1].bytes, 128u);
  EXPECT_EQ(records[0].range, 6);
  EXPECT_EQ(records[1].range, 2);
  EXPECT_EQ(records[0].address, reinterpret_cast<std::uintptr_t>(a.address));
  EXPECT_EQ(records[1].address, records[0].address);
  EXPECT_GE(records[1].at_ns, records[0].at_ns);
}

}  // namespace
}  // namespace assay::device
