// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, launches could be named after the wrong operator, and a roofline be drawn from
// bytes that no step reads.
#include "scenarios/step_plan.h"

#include <gtest/gtest.h>

#include <numeric>

#include "scenarios/embedded.h"
#include "scenarios/gpu_ledger.h"
#include "scenarios/product_ledger.h"

namespace assay::scenarios_test {
namespace {

using namespace scenarios;

std::int64_t weights_in(const std::vector<planned_launch>& plan) {
  return std::accumulate(plan.begin(), plan.end(), std::int64_t{0},
                         [](auto sum, const auto& each) { return sum + each.weight_bytes; });
}

// Every variant that the ledger knows: with and without gains, biases, and a head of its own.
std::vector<model_shape> shapes_of_plans() {
  const model_shape embedded = read_model_shape(embedded_checkpoint()).value();
  std::vector<model_shape> out{embedded};
  model_shape other = embedded;
  other.has_qk_norm = !embedded.has_qk_norm;
  other.has_qkv_bias = !embedded.has_qkv_bias;
  other.is_head_tied = !embedded.is_head_tied;
  for (const weight_entry& each : weights_of(other))
    other.width_bytes_of_tensor.emplace(each.name, 2);
  out.push_back(other);
  return out;
}

TEST(StepPlan, reads_what_the_ledger_says_that_a_pass_reads) {
  for (const model_shape& model : shapes_of_plans()) {
    EXPECT_EQ(weights_in(host_step_plan(model)), pass_weight_bytes(model, 1));
    EXPECT_EQ(weights_in(gpu_step_plan(model)), pass_weight_bytes(model, 1));
  }
}

TEST(StepPlan, has_as_many_launches_as_the_ledger_counts) {
  for (const model_shape& model : shapes_of_plans()) {
    EXPECT_EQ(host_step_plan(model).size(), static_cast<std::size_t>(pass_launches(model)));
    EXPECT_EQ(gpu_step_plan(model).size(),
              static_cast<std::size_t>(gpu_launches_per_position(model)));
  }
}

// What stands at a place of a plan, its products apart.
void expect_launch(const planned_launch& launch, const char* name, std::int64_t weight_bytes,
                   bool reads_kv) {
  EXPECT_EQ(launch.name, name);
  EXPECT_EQ(launch.weight_bytes, weight_bytes) << name;
  EXPECT_EQ(launch.reads_kv, reads_kv) << name;
}

// 4 layers of 256 values, heads 8 and 4 of 32, bf16; counted by hand.
TEST(StepPlan, of_the_embedded_checkpoint_is_what_a_step_by_hand_is) {
  const model_shape model = read_model_shape(embedded_checkpoint()).value();
  const auto host = host_step_plan(model);
  const std::int64_t h = model.hidden;
  const std::int64_t qkv = (model.heads + 2 * model.kv_heads) * model.head_dim;
  expect_launch(host[0], "embedding", h * 2, false);
  expect_launch(host[1], "norm_qkv", (h + qkv * h) * 2, false);
  expect_launch(host[2], "rotary", 2 * model.head_dim * 2, false);
  expect_launch(host[3], "attention", 0, true);
  EXPECT_EQ(host[5].weight_bytes, (h + 2 * h * model.intermediate) * 2);
  expect_launch(host.back(), "head", (h + model.vocab_rows * h) * 2, false);
  const auto gpu = gpu_step_plan(model);
  EXPECT_EQ(gpu[0].weight_bytes, host[0].weight_bytes + host[1].weight_bytes);
  expect_launch(gpu[1], "attention", host[2].weight_bytes, true);
  EXPECT_EQ(gpu[5], host[7]);
}

// Numbers by hand: hidden 256, heads 8 and 4 of 32, intermediate 704, vocabulary 2048.
TEST(Operations, of_the_embedded_checkpoint_are_those_by_hand) {
  using telemetry::planned_products;
  const model_shape model = read_model_shape(embedded_checkpoint()).value();
  const auto host = host_step_plan(model);
  const auto f32 = telemetry::arithmetic::f32_fma;
  EXPECT_EQ(host[0].products, (planned_products{f32, 0, 0, 0}));
  EXPECT_EQ(host[1].products, (planned_products{f32, 262'144, 0, 0}));  // 2 · 512 · 256
  EXPECT_EQ(host[2].products, (planned_products{f32, 0, 0, 0}));        // turned, not multiplied
  EXPECT_EQ(host[3].products,
            (planned_products{f32, 0, 1'024, 1'024}));  // 4 · 8 · 32; 2 · 4 · 32 · 4
  EXPECT_EQ(host[4].products, (planned_products{f32, 131'072, 0, 0}));  // 2 · 256 · 256
  EXPECT_EQ(host[5].products, (planned_products{f32, 720'896, 0, 0}));  // 2 · 2 · 704 · 256
  EXPECT_EQ(host[6].products, (planned_products{f32, 360'448, 0, 0}));  // 2 · 256 · 704
  EXPECT_EQ(host.back().products, (planned_products{f32, 1'048'576, 0, 0}));  // 2 · 2048 · 256
  // A GPU keeps bf16, which a matrix unit takes.
  EXPECT_EQ(gpu_step_plan(model)[1].products,
            (planned_products{telemetry::arithmetic::bf16_tensor, 0, 1'024, 512}));
}

model_shape shape_by_hand() {
  model_shape m;
  m.vocab_rows = 10;
  m.hidden = 6;
  m.intermediate = 5;
  m.layers = 3;
  m.heads = 4;  // wider than hidden, as of Qwen3-0.6B
  m.kv_heads = 1;
  m.head_dim = 2;
  for (const weight_entry& each : weights_of(m)) m.width_bytes_of_tensor.emplace(each.name, 2);
  return m;
}

// A count of its own: walks through every multiply-add of a pass and counts it.
std::int64_t counted(const model_shape& m, std::int64_t reused, std::int64_t prompt,
                     std::int64_t logits_rows) {
  std::int64_t adds = 0;
  for (std::int64_t token = reused; token < prompt; ++token)
    for (std::int64_t layer = 0; layer < m.layers; ++layer) {
      for (std::int64_t column = 0; column < m.hidden; ++column)
        adds += m.heads * m.head_dim + m.kv_heads * m.head_dim + m.kv_heads * m.head_dim +
                m.intermediate + m.intermediate;
      for (std::int64_t row = 0; row < m.hidden; ++row)
        adds += m.heads * m.head_dim + m.intermediate;
      for (std::int64_t head = 0; head < m.heads; ++head)
        for (std::int64_t seen = 0; seen <= token; ++seen) adds += m.head_dim + m.head_dim;
    }
  return 2 * (adds + logits_rows * m.vocab_rows * m.hidden);
}

TEST(Operations, of_a_prefill_are_those_of_each_token_and_one_row_of_logits) {
  const model_shape m = shape_by_hand();
  // Of one token: 3 · 2 · (12 · 6 + 8 · 6 + 10 · 6 + 5 · 6) + 3 · 32 of attention + 120 of the
  // head.
  EXPECT_EQ(pass_operations(m, 1, 1, 1), 1'260 + 96 + 120);
  const request_shape requests[] = {{5, 3, 0, false}, {9, 1, 4, false}};
  const auto host = plan_requests(m, requests, std::nullopt);
  ASSERT_EQ(host.size(), 2u);
  EXPECT_EQ(host[0].prompt_tokens, 5);
  EXPECT_EQ(host[0].prefill_operations, counted(m, 0, 5, 1));
  EXPECT_EQ(host[1].prefill_operations, counted(m, 4, 9, 1));
  // Weights of a pass over five tokens; f32 keys and values of nine, which
  // its attention reads.
  EXPECT_EQ(host[1].prefill_bytes, pass_weight_bytes(m, 5) + 9 * 3 * 2 * 2 * 4);
  EXPECT_EQ(host[1].prefill_by, telemetry::arithmetic::f32_fma);
  // A GPU's prompt of less than eight tokens goes through steps, each with a row of logits.
  const request_shape on_gpu[] = {{5, 3}, {9, 1}};
  const auto gpu = plan_requests(m, on_gpu, gpu_mode{.is_first = true, .has_passes = true});
  EXPECT_EQ(gpu[0].prefill_operations, counted(m, 0, 5, 5));
  EXPECT_EQ(gpu[0].prefill_by, telemetry::arithmetic::f32_fma);
  EXPECT_EQ(gpu[1].prefill_operations, counted(m, 0, 9, 1));
  EXPECT_EQ(gpu[1].prefill_bytes, pass_weight_bytes(m, 9) + 9 * 3 * 2 * 2 * 2);
  EXPECT_EQ(gpu[0].prefill_bytes, 5 * pass_weight_bytes(m, 1) + 5 * 3 * 2 * 2 * 2);
  EXPECT_EQ(gpu[1].prefill_by, telemetry::arithmetic::bf16_tensor);
}

// Launch by launch and in a closed form: the same step.
TEST(Operations, of_a_plan_are_those_of_a_pass_over_one_token) {
  for (const model_shape& model : shapes_of_plans())
    for (const auto& plan : {host_step_plan(model), gpu_step_plan(model)}) {
      std::int64_t sum = 0;
      for (const planned_launch& each : plan) {
        ASSERT_TRUE(each.products) << each.name;
        sum += each.products->operations + 77 * each.products->operations_per_context_token;
      }
      EXPECT_EQ(sum, pass_operations(model, 1, 77, 1));
    }
}

}  // namespace
}  // namespace assay::scenarios_test
