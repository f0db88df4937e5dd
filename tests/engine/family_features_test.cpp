// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file what sets Llama and Qwen2 apart from Qwen3 could be missing unseen: each test
// takes one thing away and asserts that the comparison with the reference would have failed.
#include <algorithm>
#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

#include "tests/engine/altered_model.h"

namespace assay::engine_test {
namespace {

// A difference that no tolerance of that size could hide.
void expect_plainly_seen(const std::string& name, const alteration& alter) {
  EXPECT_GT(tiny_difference(name, alter), 10 * logit_tolerance) << name;
}

template <class Change>
alteration in_each_layer(Change change) {
  return [change](engine::resident_model& model) {
    for (engine::layer_weights& layer : model.layers) change(layer);
  };
}

TEST(FamilyFeatures, unaltered_models_pass) {
  for (const std::string& name : all_tiny)
    EXPECT_LE(tiny_difference(name, [](auto&) {}), logit_tolerance) << name;
}

TEST(FamilyFeatures, each_bias_that_is_dropped_is_seen) {
  expect_plainly_seen("qwen2", in_each_layer([](auto& layer) { layer.q_bias = {}; }));
  expect_plainly_seen("qwen2", in_each_layer([](auto& layer) { layer.k_bias = {}; }));
  expect_plainly_seen("qwen2", in_each_layer([](auto& layer) { layer.v_bias = {}; }));
}

TEST(FamilyFeatures, a_bias_of_the_last_layer_alone_that_is_dropped_is_seen) {
  expect_plainly_seen("qwen2", [](auto& model) { model.layers.back().k_bias = {}; });
}

TEST(FamilyFeatures, key_and_value_biases_that_change_places_are_seen) {
  expect_plainly_seen("qwen2",
                      in_each_layer([](auto& layer) { std::swap(layer.k_bias, layer.v_bias); }));
}

TEST(FamilyFeatures, a_bias_of_half_width_that_is_dropped_is_seen) {
  expect_plainly_seen("qwen2-f16", in_each_layer([](auto& layer) { layer.k_bias = {}; }));
}

TEST(FamilyFeatures, a_head_read_from_the_embedding_is_seen_where_it_is_not_tied) {
  for (const char* name : {"llama", "llama-bf16-sharded", "qwen2-f16"})
    expect_plainly_seen(name, [](auto& model) { model.head = model.embedding; });
}

// The next row of the table for each id: what a head that is not the embedding would give.
TEST(FamilyFeatures, a_head_beside_the_embedding_is_seen_where_it_is_tied) {
  for (const char* name : {"llama3", "qwen2"})
    expect_plainly_seen(name, [](auto& model) {
      const std::uint64_t row_bytes = model.head.row_bytes();
      auto* const table = const_cast<std::byte*>(model.head.data);
      std::rotate(table, table + row_bytes, table + model.head.bytes());
      model.embedding.data = table - row_bytes;  // ids below the last read what they did before
    });
}

TEST(FamilyFeatures, scaling_that_is_dropped_is_seen) {
  expect_plainly_seen("llama3", [](auto& model) { model.config.rope_scaling.reset(); });
}

TEST(FamilyFeatures, each_number_of_the_scaling_is_seen) {
  using scaling = checkpoint::llama3_scaling;
  for (const scaling& other : {scaling{4.0, 1.0, 4.0, 64}, scaling{8.0, 2.0, 4.0, 64},
                               scaling{8.0, 1.0, 3.0, 64}, scaling{8.0, 1.0, 4.0, 96}})
    expect_plainly_seen("llama3", [&](auto& model) { model.config.rope_scaling = other; });
}

TEST(FamilyFeatures, an_eps_that_is_ten_times_off_is_seen) {
  EXPECT_GT(tiny_difference("llama3", [](auto& model) { model.config.rms_norm_eps = 1e-6; }),
            logit_tolerance);
  EXPECT_GT(
      tiny_difference("llama-bf16-sharded", [](auto& model) { model.config.rms_norm_eps = 1e-6; }),
      logit_tolerance);
  EXPECT_GT(tiny_difference("qwen2-f16", [](auto& model) { model.config.rms_norm_eps = 1e-5; }),
            logit_tolerance);
}

// One norm is enough: its f16 numbers are all near 1, and read as bf16 they are near 0.
TEST(FamilyFeatures, f16_read_as_bf16_is_seen) {
  expect_plainly_seen(
      "qwen2-f16", [](auto& model) { model.layers[0].input_norm.type = checkpoint::dtype::bf16; });
  expect_plainly_seen("qwen2-f16",
                      [](auto& model) { model.layers[1].k.type = checkpoint::dtype::bf16; });
  expect_plainly_seen("qwen2-f16",
                      [](auto& model) { model.layers[0].v_bias.type = checkpoint::dtype::bf16; });
}

TEST(FamilyFeatures, bf16_read_as_f16_is_seen) {
  expect_plainly_seen("llama-bf16-sharded",
                      [](auto& model) { model.layers[1].up.type = checkpoint::dtype::f16; });
}

TEST(FamilyFeatures, layers_that_change_places_are_seen) {
  for (const std::string& name : all_tiny)
    expect_plainly_seen(name, [](auto& model) { std::swap(model.layers[0], model.layers[1]); });
}

TEST(FamilyFeatures, another_theta_is_seen) {
  for (const std::string& name : all_tiny)
    expect_plainly_seen(name, [](auto& model) { model.config.rope_theta *= 2; });
}

TEST(FamilyFeatures, scaling_that_nobody_asked_for_is_seen) {
  expect_plainly_seen("llama", [](auto& model) {
    model.config.rope_scaling = checkpoint::llama3_scaling{8.0, 1.0, 4.0, 64};
  });
}

}  // namespace
}  // namespace assay::engine_test
