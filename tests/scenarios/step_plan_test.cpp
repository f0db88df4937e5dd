// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, launches could be named after the wrong operator, and a roofline be drawn from
// bytes that no step reads.
#include "scenarios/step_plan.h"

#include <gtest/gtest.h>

#include <numeric>

#include "scenarios/embedded.h"
#include "scenarios/gpu_ledger.h"

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

// 4 layers of 128 values, heads 4 and 2 of 32, bf16; counted by hand.
TEST(StepPlan, of_the_embedded_checkpoint_is_what_a_step_by_hand_is) {
  const model_shape model = read_model_shape(embedded_checkpoint()).value();
  const auto host = host_step_plan(model);
  const std::int64_t h = model.hidden;
  const std::int64_t qkv = (model.heads + 2 * model.kv_heads) * model.head_dim;
  EXPECT_EQ(host[0], (planned_launch{"embedding", h * 2, false}));
  EXPECT_EQ(host[1], (planned_launch{"norm_qkv", (h + qkv * h) * 2, false}));
  EXPECT_EQ(host[2], (planned_launch{"rotary", 2 * model.head_dim * 2, false}));
  EXPECT_EQ(host[3], (planned_launch{"attention", 0, true}));
  EXPECT_EQ(host[5].weight_bytes, (h + 2 * h * model.intermediate) * 2);
  EXPECT_EQ(host.back(), (planned_launch{"head", (h + model.vocab_rows * h) * 2, false}));
  const auto gpu = gpu_step_plan(model);
  EXPECT_EQ(gpu[0].weight_bytes, host[0].weight_bytes + host[1].weight_bytes);
  EXPECT_EQ(gpu[1], (planned_launch{"attention", host[2].weight_bytes, true}));
  EXPECT_EQ(gpu[5], host[7]);
}

}  // namespace
}  // namespace assay::scenarios_test
