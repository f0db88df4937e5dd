// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a counter could be written at the wrong place, twice, or never, and the first
// to notice would be the audit that takes it for granted.
#include <filesystem>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/memory/arena.h"
#include "tests/engine/running_engine.h"

namespace assay::engine_test {
namespace {

using telemetry::counter_id;
using telemetry::reading_state;

// micro-qwen3, by its README.
constexpr std::int64_t layers = 4;
constexpr std::int64_t kv_token_bytes = 4 * 32 * 4;  // kv_heads x head_dim x f32
constexpr std::int64_t vocab_rows = 2048;
constexpr std::int64_t embedding_row_bytes = 256 * 2;

// One request: 20 prompt tokens, 16 new ones, so 15 decode steps and 35 cached tokens in 3 pages.
constexpr std::int64_t prompt_tokens = 20;
constexpr std::int64_t steps = 16;
constexpr std::int64_t cached_tokens = prompt_tokens + steps - 1;

class OneRequest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::int32_t> prompt(prompt_tokens);
    std::iota(prompt.begin(), prompt.end(), 100);
    engine::request_options options;
    options.max_new_tokens = steps;
    options.stop_at_eos = false;
    expect(engine_->begin_request(prompt, options));
    expect(engine_->prefill());
    for (std::int64_t i = 1; i < steps; ++i) last_ = expect(engine_->decode_step());
  }
  std::int64_t operator[](counter_id id) const { return engine_.counter(id); }

  static std::int64_t tensor_bytes() {
    const auto opened = expect(checkpoint::checkpoint::open(micro_folder));
    return static_cast<std::int64_t>(opened.weights().tensor_bytes());
  }
  static std::int64_t tensor_count() {
    const auto opened = expect(checkpoint::checkpoint::open(micro_folder));
    return static_cast<std::int64_t>(opened.weights().tensors().size());
  }

  running_engine engine_{micro_folder};
  engine::step_result last_;
};

TEST_F(OneRequest, counts_the_load) {
  const auto file_bytes = std::filesystem::file_size(micro_folder / "model.safetensors");
  EXPECT_EQ((*this)[counter_id::checkpoint_file_bytes], static_cast<std::int64_t>(file_bytes));
  EXPECT_EQ((*this)[counter_id::checkpoint_tensor_bytes], tensor_bytes());
  EXPECT_EQ((*this)[counter_id::checkpoint_loaded_tensors_count], tensor_count());
  EXPECT_EQ((*this)[counter_id::checkpoint_unused_tensors_count], 0);
  EXPECT_EQ((*this)[counter_id::weights_h2d_bytes], tensor_bytes());
  EXPECT_EQ((*this)[counter_id::weights_h2d_copies_count], tensor_count());
  const auto h2d_ns = (*this)[counter_id::weights_h2d_ns];
  EXPECT_GT(h2d_ns, 0);
  EXPECT_GT((*this)[counter_id::checkpoint_load_ns], h2d_ns);
  EXPECT_DOUBLE_EQ(engine_.reading(counter_id::weights_h2d_bytes_per_s).real(),
                   static_cast<double>(tensor_bytes()) * 1e9 / static_cast<double>(h2d_ns));
}

TEST_F(OneRequest, counts_bytes_and_copies_of_inputs_and_logits) {
  EXPECT_EQ((*this)[counter_id::inputs_h2d_bytes], cached_tokens * 4);
  EXPECT_EQ((*this)[counter_id::inputs_h2d_copies_count], steps);
  EXPECT_EQ((*this)[counter_id::logits_d2h_bytes], steps * vocab_rows * 4);
  EXPECT_EQ((*this)[counter_id::logits_d2h_copies_count], steps);
}

TEST_F(OneRequest, counts_operators_and_what_they_read) {
  EXPECT_EQ((*this)[counter_id::compute_launches_count], steps * (6 * layers + 2));
  // The tied head reads the embedding table whole, so a pass reads every tensor once, and one more
  // row of the table a token.
  EXPECT_EQ((*this)[counter_id::compute_weight_bytes],
            steps * tensor_bytes() + cached_tokens * embedding_row_bytes);
  const std::int64_t rows_read = cached_tokens * (cached_tokens + 1) / 2;
  EXPECT_EQ((*this)[counter_id::kv_read_bytes], rows_read * 2 * kv_token_bytes * layers);
}

TEST_F(OneRequest, counts_pages_and_what_went_into_them) {
  EXPECT_EQ((*this)[counter_id::kv_capacity_pages], 2048 / 16);
  EXPECT_EQ((*this)[counter_id::kv_append_bytes], cached_tokens * 2 * kv_token_bytes * layers);
  // Prefill touches two pages, a decode step one.
  EXPECT_EQ((*this)[counter_id::kv_append_copies_count], (2 + 15) * 2 * layers);
  EXPECT_EQ((*this)[counter_id::kv_live_pages], 3);
  EXPECT_EQ((*this)[counter_id::engine_context_tokens], cached_tokens);
  expect(engine_->end_request());
  EXPECT_EQ((*this)[counter_id::kv_allocated_pages], 3);
  EXPECT_EQ((*this)[counter_id::kv_freed_pages], 3);
  EXPECT_EQ(engine_.reading(counter_id::kv_live_pages).state, reading_state::zero);
  EXPECT_EQ(engine_.reading(counter_id::engine_context_tokens).state, reading_state::zero);
}

TEST_F(OneRequest, counts_what_it_asked_of_the_device) {
  const std::int64_t append_copies = (*this)[counter_id::kv_append_copies_count];
  EXPECT_EQ((*this)[counter_id::device_events_count], 2 + 6 * steps);
  EXPECT_EQ((*this)[counter_id::device_syncs_count], 1 + steps);
  EXPECT_EQ((*this)[counter_id::device_submissions_count],
            2 + tensor_count() + steps * (1 + (6 * layers + 2) + 1 + 6) + append_copies);
}

TEST_F(OneRequest, counts_tokens) {
  EXPECT_EQ(last_.stopped, engine::stop_reason::max_new_tokens);
  EXPECT_EQ((*this)[counter_id::engine_requests_count], 1);
  EXPECT_EQ((*this)[counter_id::engine_prompt_tokens], prompt_tokens);
  EXPECT_EQ((*this)[counter_id::engine_generated_tokens], steps);
  EXPECT_EQ((*this)[counter_id::engine_decode_steps_count], steps - 1);
  EXPECT_EQ((*this)[counter_id::sampling_draws_count], steps);
  EXPECT_EQ((*this)[counter_id::sampling_candidates_count], steps * vocab_rows);
  EXPECT_EQ(engine_.reading(counter_id::sampling_random_draws_count).state, reading_state::zero);
}

TEST_F(OneRequest, spans_contain_each_other_as_their_brackets_say) {
  const std::int64_t device_ns = (*this)[counter_id::inputs_h2d_ns] +
                                 (*this)[counter_id::compute_device_ns] +
                                 (*this)[counter_id::logits_d2h_ns];
  const std::int64_t host_ns =
      (*this)[counter_id::engine_ttft_ns] + (*this)[counter_id::engine_itl_ns];
  EXPECT_GT((*this)[counter_id::inputs_h2d_ns], 0);
  EXPECT_GT((*this)[counter_id::compute_device_ns], 0);
  EXPECT_GT((*this)[counter_id::logits_d2h_ns], 0);
  EXPECT_LE(device_ns, host_ns);
  EXPECT_LE((*this)[counter_id::sampling_host_ns], host_ns);
  EXPECT_GT((*this)[counter_id::engine_decode_step_ns], 0);
  EXPECT_DOUBLE_EQ(engine_.reading(counter_id::engine_decode_tokens_per_s).real(),
                   (steps - 1) * 1e9 / static_cast<double>((*this)[counter_id::engine_itl_ns]));
}

TEST_F(OneRequest, writes_every_counter_that_its_device_has_but_the_tokenizers) {
  for (int i = 0; i < telemetry::counter_total; ++i) {
    const auto id = static_cast<counter_id>(i);
    const std::string_view name = telemetry::contract_of(id).name;
    if (name.starts_with("runtime.tokenizer.")) continue;
    // Written without a limit too: that nothing was paged in, and nothing gathered, is a count.
    const bool is_of_a_limit =
        name.starts_with("runtime.paging.") && engine_.reading(id).state != reading_state::zero;
    if (is_of_a_limit || name.starts_with("runtime.graph.") ||
        name.starts_with("runtime.prefill.") || name.starts_with("runtime.choices.")) {
      EXPECT_EQ(engine_.reading(id).state, reading_state::not_applicable) << name;
      continue;
    }
    EXPECT_TRUE(engine_.reading(id).has_value()) << name;
  }
}

TEST_F(OneRequest, a_second_request_starts_its_own_counters_again) {
  expect(engine_->end_request());
  const std::vector<std::int32_t> prompt{1, 2, 3};
  expect(engine_->begin_request(prompt, {}));
  EXPECT_EQ(engine_.reading(counter_id::inputs_h2d_bytes).state, reading_state::never_written);
  expect(engine_->prefill());
  EXPECT_EQ((*this)[counter_id::inputs_h2d_bytes], 12);
  EXPECT_EQ(engine_.reading(counter_id::engine_decode_steps_count).state, reading_state::zero);
  EXPECT_EQ((*this)[counter_id::engine_requests_count], 2);
  EXPECT_EQ((*this)[counter_id::device_syncs_count], 1 + steps + 1);
}

// Adds up what the workers tallied, apart from every counter.
class adding_observer final : public device::observer {
 public:
  void on_submission(const device::submission_record& record) noexcept override {
    submissions_ += record.kind != device::operation_kind::synchronize ? 1 : 0;
  }
  void on_activity(const device::activity_record& record) noexcept override {
    weight_bytes += static_cast<std::int64_t>(record.weight_bytes);
    kv_bytes += static_cast<std::int64_t>(record.kv_bytes);
    moved_bytes += static_cast<std::int64_t>(record.moved_bytes);
  }
  void on_memory(const device::memory_record&) noexcept override {}
  std::int64_t submissions_ = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
  std::int64_t moved_bytes = 0;
};

TEST_F(OneRequest, tallies_of_the_kernels_equal_the_counters) {
  expect(engine_->end_request());
  const std::int64_t before = (*this)[counter_id::device_submissions_count];
  adding_observer observer;
  engine_.device().set_observer(&observer);
  engine::request_options options;
  options.max_new_tokens = 9;
  options.stop_at_eos = false;
  const std::vector<std::int32_t> prompt(37, 11);
  engine_.generate(prompt, options);
  engine_.device().set_observer(nullptr);
  EXPECT_EQ(observer.weight_bytes, (*this)[counter_id::compute_weight_bytes]);
  EXPECT_EQ(observer.kv_bytes, (*this)[counter_id::kv_read_bytes]);
  EXPECT_EQ(observer.moved_bytes, (*this)[counter_id::inputs_h2d_bytes] +
                                      (*this)[counter_id::kv_append_bytes] +
                                      (*this)[counter_id::logits_d2h_bytes]);
  EXPECT_EQ(observer.submissions_, (*this)[counter_id::device_submissions_count] - before);
}

TEST(Arena, counts_grants_and_what_is_given_back) {
  telemetry::registry counters;
  const auto device = expect(device::host_device::create({}));
  const auto arena = memory::arena::create(*device, counters);
  EXPECT_EQ(counters.read(counter_id::arena_frees_count).state, reading_state::zero);
  {
    auto a = expect(arena->allocate(1));
    auto b = expect(arena->allocate(65));
    EXPECT_EQ(counters.read(counter_id::arena_live_bytes).integer(), 64 + 128);
    a = std::move(b);
    EXPECT_EQ(counters.read(counter_id::arena_live_bytes).integer(), 128);
  }
  EXPECT_EQ(counters.read(counter_id::arena_live_bytes).integer(), 0);
  EXPECT_EQ(counters.read(counter_id::arena_peak_bytes).integer(), 192);
  EXPECT_EQ(counters.read(counter_id::arena_allocations_count).integer(), 2);
  EXPECT_EQ(counters.read(counter_id::arena_frees_count).integer(), 2);
}

}  // namespace
}  // namespace assay::engine_test
