// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a page could leak, be handed out twice, or be counted otherwise than it is
// held.
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/kv/kv_cache.h"
#include "runtime/kv/page_memory.h"
#include "tests/engine/running_engine.h"

namespace assay::kv {
namespace {

using engine_test::expect;
using telemetry::counter_id;

page_memory host_slots(std::uint32_t slots) {
  return expect(page_memory::on_host({1, 1, 1, 1, slots}));
}

TEST(Pages, none_is_handed_out_twice) {
  page_memory memory = host_slots(7);
  std::set<std::uint32_t> held;
  while (const auto slot = memory.take()) EXPECT_TRUE(held.insert(*slot).second);
  EXPECT_EQ(held.size(), 7U);
  EXPECT_EQ(memory.live_slots_by_walk(), 7U);
  memory.give_back(3);
  EXPECT_EQ(memory.take(), 3U);
}

TEST(Pages, a_walk_sees_a_slot_that_was_given_back_twice) {
  page_memory memory = host_slots(4);
  const auto first = memory.take();
  memory.take();
  memory.give_back(*first);
  EXPECT_EQ(memory.live_slots_by_walk(), 4U - memory.free_slots());
  memory.give_back(*first);
  EXPECT_NE(memory.live_slots_by_walk(), 4U - memory.free_slots());
}

TEST(Pages, runs_cover_each_token_once_in_the_page_of_its_position) {
  telemetry::registry counters;
  const auto device = expect(device::host_device::create({}));
  const auto arena = memory::arena::create(*device, counters);
  auto cache = expect(kv_cache::create(*arena, counters, {2, 1, 8, 5, 8}));
  std::uint32_t position = 0;
  for (const std::uint32_t tokens : {7U, 1U, 1U, 1U, 12U, 3U}) {
    std::uint32_t covered = 0;
    for (const page_run& run : expect(cache.extend(tokens))) {
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

std::vector<std::int32_t> ids_from(std::int32_t first, std::size_t count) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i)
    ids[i] = static_cast<std::int32_t>((static_cast<std::size_t>(first) + i * i * 7) % 500);
  return ids;
}

std::vector<std::int32_t> joined(std::vector<std::int32_t> first,
                                 const std::vector<std::int32_t>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

engine::request_options tokens_of(std::uint32_t count, bool keeps_prompt) {
  engine::request_options options;
  options.max_new_tokens = count;
  options.stop_at_eos = false;
  options.keeps_prompt = keeps_prompt;
  return options;
}

TEST(KeptPrompt, requests_that_begin_alike_give_the_ids_that_they_give_alone) {
  const auto common = ids_from(3, 22);  // 5 pages of 4, and 2 tokens more
  const std::vector<std::vector<std::int32_t>> prompts{
      joined(common, ids_from(90, 5)), joined(common, ids_from(200, 9)),
      common,  // its last token must run all the same
      joined(common, ids_from(90, 2)), ids_from(411, 12)};
  running_engine alone(tiny_folder, {128, 4});
  running_engine sharing(tiny_folder, {128, 4});
  const std::vector<std::int64_t> reused{0, 22, 21, 23, 0};
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    SCOPED_TRACE(i);
    const auto want = alone.generate(prompts[i], tokens_of(20, false));
    EXPECT_EQ(sharing.generate(prompts[i], tokens_of(20, i == 0)), want);
    EXPECT_LT(relative_difference(sharing->logits(), alone->logits()), 1e-5);
    EXPECT_EQ(sharing.counter(counter_id::kv_reused_tokens) - seen, reused[i]);
    EXPECT_EQ(sharing.counter(counter_id::inputs_h2d_bytes),
              4 * (static_cast<std::int64_t>(prompts[i].size()) - reused[i] + 19));
    seen += reused[i];
    EXPECT_EQ(sharing->kv_pages_by_walk(), 7U) << "of the 27 tokens that are kept";
  }
  // Once for the prompt that was kept while its request went on, and for each that began in a page.
  EXPECT_EQ(sharing.counter(counter_id::kv_copied_pages), 4);
  EXPECT_EQ(sharing.counter(counter_id::kv_live_pages), 7);
  EXPECT_EQ(sharing.reading(counter_id::kv_shared_pages).state, telemetry::reading_state::zero);
}

// 24 pages, 10 of them kept; a request of 20 pages does not fit beside.
void decode_under_pressure(std::uint32_t host_pages, std::int64_t reused_in_the_end) {
  const auto kept = ids_from(3, 40);
  const auto stranger = ids_from(77, 60);
  running_engine alone(tiny_folder, {96, 4});
  running_engine sharing(tiny_folder,
                         {.context_tokens = 96, .kv_page_tokens = 4, .kv_host_pages = host_pages});
  for (const auto& prompt : {kept, stranger, joined(kept, ids_from(9, 3))}) {
    const auto want = alone.generate(prompt, tokens_of(20, false));
    EXPECT_EQ(sharing.generate(prompt, tokens_of(20, prompt.size() == 40)), want);
    EXPECT_EQ(sharing.counter(counter_id::kv_live_pages), sharing->kv_pages_by_walk());
  }
  EXPECT_EQ(sharing.counter(counter_id::kv_reused_tokens), reused_in_the_end);
  const std::int64_t spilled = sharing.counter(counter_id::kv_spilled_pages);
  EXPECT_EQ(spilled > 0, host_pages > 0);
  EXPECT_EQ(sharing.counter(counter_id::kv_filled_pages), spilled);
  // tiny-qwen3: 2 layers, so many copies a page.
  const auto layers = static_cast<std::int64_t>(sharing->config().layer_count);
  EXPECT_EQ(sharing.counter(counter_id::kv_spill_copies_count), layers * spilled);
}

TEST(KeptPrompt, leaves_the_device_for_a_request_that_needs_its_pages_and_comes_back) {
  decode_under_pressure(16, 40);
}

TEST(KeptPrompt, is_given_up_where_the_host_has_no_room_for_it) {
  decode_under_pressure(0, 0);
}

}  // namespace
}  // namespace assay::engine_test
