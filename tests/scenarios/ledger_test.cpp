// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the ledger could be wrong together with the runtime that it judges: the numbers
// here were computed from the files' headers by a script of another language, not by either.
#include "scenarios/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "scenarios/embedded.h"

namespace assay::scenarios {
namespace {

using id = telemetry::counter_id;

model_shape micro() {
  return read_model_shape(embedded_checkpoint()).value();
}

model_shape tiny(const std::string& name = "qwen3") {
  return read_model_shape(std::filesystem::path(ASSAY_FIXTURES) / "tiny" / name).value();
}

std::map<id, std::int64_t> by_counter(const std::vector<expectation>& expected) {
  std::map<id, std::int64_t> map;
  for (const expectation& each : expected)
    EXPECT_TRUE(map.emplace(each.counter, each.value).second) << "expected twice";
  return map;
}

using expected_values = std::map<id, std::int64_t>;

TEST(Ledger, knows_the_bytes_of_the_embedded_checkpoint) {
  EXPECT_EQ(weight_bytes(micro()), 6'951'936);
  EXPECT_EQ(kv_token_bytes(micro()), 4096);
  EXPECT_EQ(kv_page_bytes(micro(), {2048, 16}), 65'536);
  EXPECT_EQ(pass_launches(micro()), 26);
  EXPECT_EQ(pass_weight_bytes(micro(), 1), 6'952'448);
  EXPECT_EQ(pass_weight_bytes(micro(), 8), 6'956'032);
}

TEST(Ledger, knows_the_bytes_of_the_fixture) {
  EXPECT_EQ(weight_bytes(tiny()), 2'429'184);
  EXPECT_EQ(kv_token_bytes(tiny()), 1536);
  EXPECT_EQ(kv_page_bytes(tiny(), {512, 16}), 24'576);
  EXPECT_EQ(pass_launches(tiny()), 20);
  EXPECT_EQ(pass_weight_bytes(tiny(), 1), 2'429'696);
  EXPECT_EQ(pass_weight_bytes(tiny(), 8), 2'433'280);
}

// Llama has no head norms and its own head, Qwen2 biases.
TEST(Ledger, knows_the_bytes_of_the_other_families) {
  EXPECT_EQ(weight_bytes(tiny("llama")), 861'952);
  EXPECT_EQ(kv_token_bytes(tiny("llama")), 1536);
  EXPECT_EQ(pass_launches(tiny("llama")), 20);
  EXPECT_EQ(pass_weight_bytes(tiny("llama"), 1), 763'904);
  EXPECT_EQ(pass_weight_bytes(tiny("llama"), 8), 765'696);
  EXPECT_EQ(arena_of(tiny("llama"), {512, 16}).total_bytes(), 3'421'440);
  EXPECT_EQ(weight_bytes(tiny("qwen2")), 1'206'912);
  EXPECT_EQ(kv_token_bytes(tiny("qwen2")), 768);
  EXPECT_EQ(pass_launches(tiny("qwen2")), 20);
  EXPECT_EQ(pass_weight_bytes(tiny("qwen2"), 1), 1'207'296);
  EXPECT_EQ(pass_weight_bytes(tiny("qwen2"), 8), 1'209'984);
  EXPECT_EQ(arena_of(tiny("qwen2"), {512, 16}).total_bytes(), 3'471'360);
}

TEST(Ledger, knows_the_bytes_of_f16_and_of_several_files) {
  const model_shape f16 = tiny("qwen2-f16");
  EXPECT_EQ(f16.file_bytes, 232'112);
  EXPECT_EQ(weight_bytes(f16), 229'376);
  EXPECT_EQ(pass_weight_bytes(f16, 8), 192'000);
  EXPECT_EQ(pass_launches(f16), 14);
  EXPECT_EQ(arena_of(f16, {256, 16}).weights_bytes, 229'504);  // key and value biases take a grant
  EXPECT_EQ(arena_of(f16, {256, 16}).total_bytes(), 903'488);
  const model_shape split = tiny("llama-bf16-sharded");
  EXPECT_EQ(split.file_bytes, 265'032);
  EXPECT_EQ(split.payload_bytes, 262'784);
  EXPECT_EQ(split.header_tensor_count, 21);
  EXPECT_EQ(pass_weight_bytes(split, 8), 226'944);
  EXPECT_EQ(arena_of(split, {256, 16}).total_bytes(), 1'264'384);
  EXPECT_EQ(by_counter(expect_load(split, {256, 16})).at(id::checkpoint_file_bytes), 265'032);
}

TEST(Ledger, takes_each_tensor_as_wide_as_its_header_says) {
  model_shape mixed = tiny("llama");
  mixed.width_bytes_of_tensor["model.layers.1.mlp.up_proj.weight"] = 2;
  EXPECT_EQ(weight_bytes(mixed), 861'952 - 64 * 160 * 2);
  EXPECT_EQ(pass_weight_bytes(mixed, 1), 763'904 - 64 * 160 * 2);
  mixed.width_bytes_of_tensor["model.embed_tokens.weight"] = 2;
  EXPECT_EQ(pass_weight_bytes(mixed, 8), 765'696 - 64 * 160 * 2 - 8 * 64 * 2);
}

TEST(Ledger, knows_what_the_arena_holds) {
  const arena_shape of_micro = arena_of(micro(), {2048, 16});
  EXPECT_EQ(of_micro.weights_bytes, 6'951'936);
  EXPECT_EQ(of_micro.kv_bytes, 8'388'608);
  EXPECT_EQ(of_micro.activations_bytes, 22'298'624);
  EXPECT_EQ(of_micro.total_bytes(), 37'639'168);
  EXPECT_EQ(arena_of(tiny(), {512, 16}).total_bytes(), 6'168'832);
}

TEST(Ledger, rounds_what_is_not_a_multiple_of_a_grant) {
  model_shape odd = tiny();
  odd.hidden = 129;
  // One norm of the hidden size: 516 bytes take 576.
  const auto one = [](model_shape m) { return arena_of(m, {16, 16}).weights_bytes; };
  model_shape flat = odd;
  flat.layers = 0;
  flat.vocab_rows = 0;
  EXPECT_EQ(one(flat), 576);
}

TEST(Ledger, expects_of_a_load_what_the_file_holds) {
  const expected_values expected{
      {id::checkpoint_file_bytes, 6'956'864},
      {id::checkpoint_tensor_bytes, 6'951'936},
      {id::checkpoint_loaded_tensors_count, 46},
      {id::checkpoint_unused_tensors_count, 0},
      {id::weights_h2d_bytes, 6'951'936},
      {id::weights_h2d_copies_count, 46},
      {id::arena_live_bytes, 37'639'168},
      {id::arena_peak_bytes, 37'639'168},
      {id::arena_allocations_count, 3},
      {id::kv_capacity_pages, 128},
      {id::device_submissions_count, 48},
      {id::device_events_count, 2},
      {id::device_syncs_count, 1},
  };
  EXPECT_EQ(by_counter(expect_load(micro(), {2048, 16})), expected);
}

TEST(Ledger, expects_of_a_request_what_its_lengths_say) {
  const expected_values expected{
      {id::inputs_h2d_bytes, 76},
      {id::inputs_h2d_copies_count, 12},
      {id::compute_launches_count, 312},
      {id::compute_weight_bytes, 83'432'960},
      {id::kv_allocated_pages, 2},
      {id::kv_freed_pages, 2},
      {id::kv_append_bytes, 77'824},
      {id::kv_append_copies_count, 96},
      {id::kv_read_bytes, 778'240},
      {id::logits_d2h_bytes, 98'304},
      {id::logits_d2h_copies_count, 12},
      {id::device_submissions_count, 504},
      {id::device_events_count, 72},
      {id::device_syncs_count, 12},
      {id::sampling_draws_count, 12},
      {id::sampling_candidates_count, 24'576},
      {id::engine_requests_count, 1},
      {id::engine_prompt_tokens, 8},
      {id::engine_generated_tokens, 12},
      {id::engine_decode_steps_count, 11},
      {id::kv_reused_tokens, 0},
      {id::kv_copied_pages, 0},
      {id::kv_copy_bytes, 0},
      {id::kv_copy_copies_count, 0},
      {id::kv_spilled_pages, 0},
      {id::kv_spill_bytes, 0},
      {id::kv_spill_copies_count, 0},
      {id::kv_filled_pages, 0},
      {id::kv_fill_bytes, 0},
      {id::kv_fill_copies_count, 0},
      {id::paging_page_ins_count, 0},
      {id::paging_h2d_bytes, 0},
      {id::embedding_h2d_bytes, 0},
      {id::embedding_h2d_copies_count, 0},
  };
  EXPECT_EQ(by_counter(expect_request(micro(), {2048, 16}, {8, 11})), expected);
}

// A prompt of 17 tokens touches two pages of 16 in prefill.
TEST(Ledger, expects_a_copy_more_a_page_that_the_prompt_touches) {
  const auto seen = by_counter(expect_request(tiny(), {512, 16}, {17, 3}));
  EXPECT_EQ(seen.at(id::kv_append_copies_count), 30);
  EXPECT_EQ(seen.at(id::kv_append_bytes), 30'720);
  EXPECT_EQ(seen.at(id::kv_read_bytes), 322'560);
  EXPECT_EQ(seen.at(id::compute_weight_bytes), 9'726'976);
  EXPECT_EQ(seen.at(id::kv_allocated_pages), 2);
  EXPECT_EQ(seen.at(id::device_submissions_count), 142);
}

TEST(Ledger, expects_levels_of_the_context_and_nothing_after_the_end) {
  EXPECT_EQ(
      by_counter(expect_levels({2048, 16}, 17)),
      (expected_values{
          {id::kv_live_pages, 2}, {id::kv_shared_pages, 0}, {id::engine_context_tokens, 17}}));
  EXPECT_EQ(by_counter(expect_levels({2048, 16}, 16)).at(id::kv_live_pages), 1);
  EXPECT_EQ(by_counter(expect_unload()),
            (expected_values{{id::arena_live_bytes, 0}, {id::arena_frees_count, 3}}));
}

// What a request moves is the sum of its passes, each looked at alone: a closed form that forgets
// the context or counts the head twice does not add up.
TEST(Ledger, is_the_sum_of_its_passes) {
  for (const model_shape& model : {micro(), tiny()})
    for (const std::int64_t prompt : {1, 2, 15, 16, 17, 100})
      for (const std::int64_t steps : {0, 1, 15, 16, 63}) {
        std::int64_t weights = 0;
        std::int64_t read = 0;
        for (std::int64_t context = prompt; context <= prompt + steps; ++context) {
          const std::int64_t tokens = context == prompt ? prompt : 1;
          weights +=
              weight_bytes(model) +
              tokens * model.hidden * model.width_bytes_of_tensor.at("model.embed_tokens.weight");
          for (std::int64_t seen = context - tokens + 1; seen <= context; ++seen)
            read += seen * kv_token_bytes(model);
        }
        const auto whole = by_counter(expect_request(model, {2048, 16}, {prompt, steps}));
        EXPECT_EQ(whole.at(id::compute_weight_bytes), weights) << prompt << " + " << steps;
        EXPECT_EQ(whole.at(id::kv_read_bytes), read) << prompt << " + " << steps;
        EXPECT_EQ(whole.at(id::kv_allocated_pages), (prompt + steps + 15) / 16);
      }
}

// Page by page, token by token, without a formula: who holds which page, and who must copy one.
struct page_book {
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> open;
  std::int64_t taken = 0;
  std::int64_t copied = 0;
  std::int64_t tokens = 0;

  void begin(std::int64_t reused) {
    for (std::int64_t t = 0; t < reused; t += 16)
      open.push_back(kept[static_cast<std::size_t>(t / 16)]);
    tokens = reused;
  }
  void append() {
    if (tokens % 16 == 0) {
      open.push_back(++taken);
    } else if (!kept.empty() && std::count(kept.begin(), kept.end(), open.back()) > 0) {
      open.back() = ++taken;
      ++copied;
    }
    ++tokens;
  }
  std::int64_t live() const {
    std::set<std::int64_t> pages(kept.begin(), kept.end());
    pages.insert(open.begin(), open.end());
    return static_cast<std::int64_t>(pages.size());
  }
  std::int64_t shared() const {
    return static_cast<std::int64_t>(kept.size() + open.size()) - live();
  }
};

TEST(Ledger, counts_shared_pages_as_a_book_of_single_pages_does) {
  const model_shape model = tiny();
  const cache_shape cache{512, 16};
  for (const std::int64_t prompt : {1, 15, 16, 17, 47, 48})
    for (const std::int64_t reused : {-1, 0, 1, 15, 16, 31, 46}) {  // -1: its own is kept
      if (reused >= prompt) continue;
      SCOPED_TRACE(std::to_string(prompt) + " tokens, reused " + std::to_string(reused));
      page_book book;
      if (reused >= 0) book.kept = {-1, -2, -3};  // 48 tokens
      book.begin(std::max<std::int64_t>(reused, 0));
      while (book.tokens < prompt) book.append();
      if (reused < 0) book.kept = book.open;
      const kept_shape kept{reused < 0 ? prompt : 48, reused < 0 ? prompt : reused};
      for (std::int64_t steps = 0; steps < 20; ++steps, book.append()) {
        const auto levels = by_counter(expect_levels(cache, book.tokens, kept));
        ASSERT_EQ(levels.at(id::kv_live_pages), book.live()) << steps;
        ASSERT_EQ(levels.at(id::kv_shared_pages), book.shared()) << steps;
        const auto whole = by_counter(expect_request(
            model, cache, {prompt, steps, std::max<std::int64_t>(reused, 0), reused < 0}));
        ASSERT_EQ(whole.at(id::kv_allocated_pages), book.taken) << steps;
        ASSERT_EQ(whole.at(id::kv_copied_pages), book.copied) << steps;
        ASSERT_EQ(whole.at(id::kv_copy_bytes), book.copied * kv_page_bytes(model, cache));
        const auto left = static_cast<std::int64_t>(reused < 0 ? book.kept.size() : 0);
        ASSERT_EQ(whole.at(id::kv_freed_pages), book.taken - left) << steps;
      }
    }
}

TEST(Ledger, expects_of_a_reused_prompt_what_the_rest_of_it_takes) {
  const auto whole = by_counter(expect_request(micro(), {2048, 16}, {40, 2}));
  const auto rest = by_counter(expect_request(micro(), {2048, 16}, {40, 2, 20}));
  EXPECT_EQ(rest.at(id::inputs_h2d_bytes), 4 * (20 + 2));
  EXPECT_EQ(rest.at(id::kv_append_bytes), 22 * 4096);
  EXPECT_EQ(rest.at(id::kv_read_bytes), whole.at(id::kv_read_bytes) - 20 * 21 / 2 * 4096);
  // Two pages are touched instead of three, and one is copied: 4 layers each.
  EXPECT_EQ(rest.at(id::kv_append_copies_count), whole.at(id::kv_append_copies_count) - 2 * 4);
  EXPECT_EQ(rest.at(id::device_submissions_count),
            whole.at(id::device_submissions_count) - 2 * 4 + 4);
  EXPECT_EQ(rest.at(id::compute_weight_bytes), whole.at(id::compute_weight_bytes) - 20 * 512);
}

// A head of its own is one more table in the file, but is not read more often.
TEST(Ledger, counts_an_untied_head_as_a_table_of_its_own) {
  model_shape untied = micro();
  untied.is_head_tied = false;
  untied.width_bytes_of_tensor["lm_head.weight"] = 2;
  const std::int64_t table = 2048 * 256 * 2;
  EXPECT_EQ(weight_bytes(untied), 6'951'936 + table);
  EXPECT_EQ(arena_of(untied, {2048, 16}).weights_bytes, 6'951'936 + table);
  EXPECT_EQ(pass_weight_bytes(untied, 1), 6'952'448);
  EXPECT_EQ(by_counter(expect_load(untied, {2048, 16})).at(id::weights_h2d_copies_count), 47);
}

}  // namespace
}  // namespace assay::scenarios
