// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file bad input could decode into nonsense, and a device that refuses a call could
// leave an engine that frees memory which kernels still use.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/reference_file.h"
#include "tests/engine/refusing_device.h"
#include "tests/engine/running_engine.h"

namespace assay::engine_test {
namespace {

using testing::Test;

template <class T>
void expect_refusal(const result<T>& got, error_kind kind, std::string_view part) {
  ASSERT_FALSE(got.has_value()) << "was not refused: " << part;
  EXPECT_EQ(got.error().kind, kind) << got.error().message;
  EXPECT_NE(got.error().message.find(part), std::string::npos) << got.error().message;
}

TEST(Refusals, prompts_that_cannot_be_fed_are_named) {
  running_engine engine(tiny_folder, {32, 16});
  const auto begin = [&](std::vector<std::int32_t> prompt) {
    return engine->begin_request(prompt, {});
  };
  expect_refusal(begin({}), error_kind::unusable_input, "no token ids");
  expect_refusal(begin(std::vector<std::int32_t>(33, 1)), error_kind::unusable_input,
                 "33 tokens exceed the context of 32");
  expect_refusal(begin({1, 512}), error_kind::unusable_input, "id 512 at position 1");
  expect_refusal(begin({-1}), error_kind::unusable_input, "id -1 at position 0");
  expect(begin(std::vector<std::int32_t>(32, 1)));
  EXPECT_EQ(expect(engine->prefill()).stopped, engine::stop_reason::context_full);
}

TEST(Refusals, options_that_contradict_are_named) {
  running_engine engine(tiny_folder, {32, 16});
  const std::vector<std::int32_t> prompt{1};
  engine::request_options options;
  options.max_new_tokens = 0;
  expect_refusal(engine->begin_request(prompt, options), error_kind::usage, "max_new_tokens");
  options = {};
  options.temperature = -1.0;
  expect_refusal(engine->begin_request(prompt, options), error_kind::usage, "temperature");
}

TEST(Refusals, calls_out_of_order_are_named) {
  running_engine engine(tiny_folder, {32, 16});
  const std::vector<std::int32_t> prompt{1};
  expect_refusal(engine->prefill(), error_kind::usage, "begin_request");
  expect_refusal(engine->decode_step(), error_kind::usage, "prefill first");
  expect_refusal(engine->end_request(), error_kind::usage, "no request");
  expect(engine->begin_request(prompt, {}));
  expect_refusal(engine->begin_request(prompt, {}), error_kind::usage, "is open");
  expect_refusal(engine->forward(prompt), error_kind::usage, "is open");
  expect(engine->prefill());
  expect_refusal(engine->prefill(), error_kind::usage, "once");
}

result<std::unique_ptr<engine::engine>> load_into(std::uint64_t limit_bytes,
                                                  engine::engine_options options) {
  static telemetry::null_writer counters;
  static std::unique_ptr<device::host_device> device;
  device::host_device_options arena;
  arena.memory_limit_bytes = limit_bytes;
  device = expect(device::host_device::create(arena));
  return engine::engine::load(micro_folder, *device, counters, options);
}

TEST(Refusals, an_arena_that_is_too_small_is_told_what_is_needed) {
  expect_refusal(load_into(8 << 20, {}), error_kind::out_of_memory,
                 "= 37639168 bytes exceed the limit of 8388608");
  expect_refusal(load_into(8 << 20, {}), error_kind::out_of_memory,
                 "weights 6951936 + KV pages 8388608 + activations 22298624");
  expect(load_into(16 << 20, {64, 16}));
}

TEST(Refusals, a_context_or_page_that_cannot_be_is_named) {
  expect_refusal(load_into(1 << 30, {4096, 16}), error_kind::usage, "exceeds the 2048 positions");
  expect_refusal(load_into(1 << 30, {64, 0}), error_kind::usage, "kv_page_tokens 0");
  expect_refusal(load_into(1 << 30, {64, 257}), error_kind::usage, "kv_page_tokens 257");
}

TEST(Refusals, logits_that_are_not_finite_end_the_request) {
  running_engine engine(tiny_folder, [](engine::resident_model& model) {
    const float bad = NAN;
    std::memcpy(const_cast<std::byte*>(model.final_norm.data), &bad, sizeof bad);
  });
  const std::vector<std::int32_t> prompt{1, 2};
  expect(engine->begin_request(prompt, {}));
  expect_refusal(engine->prefill(), error_kind::unusable_input, "not finite");
  expect_refusal(engine->decode_step(), error_kind::usage, "failed");
  expect(engine->end_request());
  EXPECT_EQ(engine->kv_pages_by_walk(), 0U);
}

TEST(Stops, at_the_end_token_if_asked_and_else_at_the_number_of_tokens) {
  const reference_file reference(micro_folder / "reference.safetensors");
  const auto& greedy = reference.ids("prompt1.greedy_fp32");
  running_engine engine(micro_folder, [&](engine::resident_model& model) {
    model.config.eos_token_ids = {greedy[4]};
  });
  engine::request_options options;
  options.max_new_tokens = 12;
  const auto stopped = engine.generate(reference.ids("prompt1.ids"), options);
  EXPECT_EQ(stopped.back(), greedy[4]);
  EXPECT_LE(stopped.size(), 5U);
  options.stop_at_eos = false;
  EXPECT_EQ(engine.generate(reference.ids("prompt1.ids"), options).size(), 12U);
}

// 8 prompt tokens fill 8 of 20 places, each of 12 steps one more; the last token is not fed.
TEST(Stops, where_the_context_is_full) {
  running_engine engine(tiny_folder, {20, 16});
  const std::vector<std::int32_t> prompt(8, 3);
  EXPECT_EQ(engine.generate(prompt, {}).size(), 13U);
}

// Whatever call a device refuses, the error comes back and everything can be taken down.
TEST(Refusals, any_call_that_a_device_refuses_leaves_a_whole_engine) {
  const std::vector<std::int32_t> prompt(40, 5);
  bool ran_to_its_end = false;
  for (int refused = 0; !ran_to_its_end; ++refused) {
    ASSERT_LT(refused, 1000);
    const auto host = expect(device::host_device::create({}));
    refusing_device device(*host, refused);
    telemetry::registry counters;
    auto loaded = engine::engine::load(tiny_folder, device, counters, {64, 16});
    ASSERT_EQ(device.unwaited(), 0) << "load, call " << refused;
    if (!loaded) continue;
    auto& engine = **loaded;
    expect(engine.begin_request(prompt, {}));
    if (engine.prefill() && engine.decode_step()) {
      ran_to_its_end = !device.has_refused();
      EXPECT_TRUE(ran_to_its_end) << "call " << refused << " was refused and nobody noticed";
    }
    ASSERT_EQ(device.unwaited(), 0) << "step, call " << refused;
    expect(engine.end_request());
    EXPECT_EQ(engine.kv_pages_by_walk(), 0U);
  }
}

}  // namespace
}  // namespace assay::engine_test
