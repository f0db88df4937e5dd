// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, an add that is a load and a store would lose counts under contention, and a race
// would show on somebody else's machine. Runs under ThreadSanitizer too.
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/telemetry/registry.h"

namespace assay::telemetry {
namespace {

constexpr int thread_count = 4;
constexpr std::int64_t rounds = 50'000;

// All threads start at once: otherwise the first is done before the last is made.
void on_every_thread(const std::function<void(int)>& work) {
  std::latch start(thread_count);
  std::vector<std::jthread> threads;
  for (int index = 0; index < thread_count; ++index)
    threads.emplace_back([&start, &work, index] {
      start.arrive_and_wait();
      work(index);
    });
}

TEST(RegistryThreads, lose_no_add_to_one_counter) {
  registry counters;
  on_every_thread([&](int) {
    for (std::int64_t i = 0; i < rounds; ++i) counters.add(counter_id::weights_h2d_bytes, 3);
  });
  EXPECT_EQ(counters.read(counter_id::weights_h2d_bytes).integer(), 3 * rounds * thread_count);
}

TEST(RegistryThreads, keep_their_own_counters_apart) {
  registry counters;
  constexpr std::array ids{counter_id::weights_h2d_bytes, counter_id::weights_h2d_ns,
                           counter_id::kv_append_bytes, counter_id::logits_d2h_bytes};
  on_every_thread([&](int index) {
    const auto at = static_cast<std::size_t>(index);
    for (std::int64_t i = 0; i < rounds; ++i) counters.add(ids[at], index + 1);
  });
  for (std::size_t at = 0; at < ids.size(); ++at)
    EXPECT_EQ(counters.read(ids[at]).integer(), (static_cast<std::int64_t>(at) + 1) * rounds);
}

TEST(RegistryThreads, agree_on_the_highest_value_of_a_peak) {
  registry counters;
  on_every_thread([&](int index) {
    for (std::int64_t i = 0; i < rounds; ++i)
      counters.raise(counter_id::arena_peak_bytes, i * thread_count + index);
  });
  EXPECT_EQ(counters.read(counter_id::arena_peak_bytes).integer(), rounds * thread_count - 1);
}

TEST(RegistryThreads, a_reader_never_sees_a_sum_fall) {
  registry counters;
  std::atomic<bool> is_done{false};
  std::jthread reader([&] {
    std::int64_t before = 0;
    while (!is_done.load()) {
      const reading r = counters.read_all()[static_cast<std::size_t>(counter_id::kv_read_bytes)];
      EXPECT_GE(r.integer(), before);
      before = r.integer();
    }
  });
  on_every_thread([&](int) {
    for (std::int64_t i = 0; i < rounds; ++i) counters.add(counter_id::kv_read_bytes, 1);
  });
  is_done.store(true);
}

TEST(RegistryThreads, a_reason_arrives_whole) {
  registry counters;
  constexpr std::string_view reason = "this model has no cache";
  std::jthread reader([&] {
    reading r;
    do r = counters.read(counter_id::kv_read_bytes);
    while (r.state != reading_state::not_applicable);
    EXPECT_EQ(r.reason, reason);
  });
  counters.mark_not_applicable(counter_id::kv_read_bytes, reason);
}

}  // namespace
}  // namespace assay::telemetry
