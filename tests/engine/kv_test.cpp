// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a page could leak, be handed out twice, or be counted otherwise than it is
// held.
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/kv/kv_cache.h"
#include "runtime/kv/page_pool.h"
#include "tests/engine/running_engine.h"

namespace assay::kv {
namespace {

using engine_test::expect;
using telemetry::counter_id;

TEST(Pages, none_is_handed_out_twice) {
  page_pool pool(7);
  std::set<std::uint32_t> held;
  while (const auto page = pool.take()) EXPECT_TRUE(held.insert(*page).second);
  EXPECT_EQ(held.size(), 7U);
  EXPECT_EQ(pool.live_pages(), 7U);
  pool.give_back(3);
  EXPECT_EQ(pool.take(), 3U);
}

TEST(Pages, a_walk_sees_a_page_that_was_given_back_twice) {
  page_pool pool(4);
  const auto first = pool.take();
  pool.take();
  pool.give_back(*first);
  EXPECT_EQ(pool.live_pages_by_walk(), pool.live_pages());
  pool.give_back(*first);
  EXPECT_NE(pool.live_pages_by_walk(), pool.live_pages());
}

TEST(Pages, runs_cover_each_token_once_in_the_page_of_its_position) {
  telemetry::registry counters;
  const auto device = expect(device::host_device::create({}));
  const auto arena = memory::arena::create(*device, counters);
  auto cache = expect(kv_cache::create(*arena, counters, {2, 1, 8, 5, 8}));
  std::uint32_t position = 0;
  for (const std::uint32_t tokens : {7U, 1U, 1U, 1U, 12U, 3U}) {
    std::uint32_t covered = 0;
    for (const page_run& run : *expect(cache.extend(tokens))) {
      EXPECT_EQ(run.first_token, covered);
      EXPECT_EQ(run.slot, (position + covered) % 5);
      EXPECT_EQ(run.page, cache.table()[(position + covered) / 5]);
      EXPECT_LE(run.slot + run.tokens, 5U);
      covered += run.tokens;
    }
    EXPECT_EQ(covered, tokens);
    position += tokens;
    EXPECT_EQ(counters.read(counter_id::kv_live_pages).integer(), (position + 4) / 5);
  }
  EXPECT_FALSE(cache.extend(16).has_value());
  EXPECT_EQ(cache.cached_tokens(), position);
}

}  // namespace
}  // namespace assay::kv

namespace assay::engine_test {
namespace {

using telemetry::counter_id;

TEST(Pages, the_gauge_equals_a_walk_through_random_requests) {
  running_engine engine(tiny_folder, {96, 4});
  std::mt19937 random(11);
  for (int request = 0; request < 40; ++request) {
    const std::vector<std::int32_t> prompt(1 + random() % 60, 7);
    engine::request_options options;
    options.max_new_tokens = static_cast<std::uint32_t>(1 + random() % 30);
    expect(engine->begin_request(prompt, options));
    auto step = expect(engine->prefill());
    const bool is_cut_short = random() % 4 == 0;
    while (step.stopped == engine::stop_reason::none && !(is_cut_short && random() % 5 == 0)) {
      ASSERT_EQ(engine.counter(counter_id::kv_live_pages), engine->kv_pages_by_walk());
      ASSERT_EQ(engine.counter(counter_id::kv_live_pages),
                (engine.counter(counter_id::engine_context_tokens) + 3) / 4);
      step = expect(engine->decode_step());
    }
    expect(engine->end_request());
    ASSERT_EQ(engine->kv_pages_by_walk(), 0U);
  }
  EXPECT_EQ(engine.counter(counter_id::kv_allocated_pages),
            engine.counter(counter_id::kv_freed_pages));
}

}  // namespace
}  // namespace assay::engine_test
