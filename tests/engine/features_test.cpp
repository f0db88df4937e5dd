// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a comparison with the reference could be too blunt to see a missing feature:
// each test takes one away and asserts that the comparison would have failed.
#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/altered_model.h"
#include "tests/engine/reference_file.h"
#include "tests/engine/running_engine.h"

namespace assay::engine_test {
namespace {

double micro_with(const alteration& alter) {
  return difference_with(micro_folder, "logits200.ids", "logits200.last16", alter);
}
double tiny_with(const alteration& alter) {
  return tiny_difference("qwen3", alter);
}

std::byte* writable(const ops::weight& w) {
  return const_cast<std::byte*>(w.data);
}

// Exchanges the projections of key/value heads 0 and 1: query heads then read the wrong group's.
void exchange_kv_heads(const ops::weight& w, std::uint32_t head_dim) {
  const std::uint64_t head_bytes = head_dim * w.row_bytes();
  std::vector<std::byte> kept(head_bytes);
  std::memcpy(kept.data(), w.data, head_bytes);
  std::memcpy(writable(w), w.data + head_bytes, head_bytes);
  std::memcpy(writable(w) + head_bytes, kept.data(), head_bytes);
}

void exchange_all_kv_heads(engine::resident_model& model) {
  for (const auto& layer : model.layers) {
    exchange_kv_heads(layer.k, model.config.head_dim);
    exchange_kv_heads(layer.v, model.config.head_dim);
  }
}

void drop_qk_norm(engine::resident_model& model) {
  for (auto& layer : model.layers) {
    layer.q_norm = {};
    layer.k_norm = {};
  }
}

TEST(Features, an_unaltered_model_passes) {
  EXPECT_LE(micro_with([](auto&) {}), logit_tolerance);
  EXPECT_LE(tiny_with([](auto&) {}), logit_tolerance);
}

TEST(Features, a_missing_qk_norm_is_seen) {
  EXPECT_GT(micro_with(drop_qk_norm), 10 * logit_tolerance);
  EXPECT_GT(tiny_with(drop_qk_norm), 10 * logit_tolerance);
}

TEST(Features, a_missing_key_norm_alone_is_seen) {
  EXPECT_GT(micro_with([](auto& model) {
              for (auto& layer : model.layers) layer.k_norm = {};
            }),
            10 * logit_tolerance);
}

TEST(Features, an_eps_of_1e_5_is_seen) {
  EXPECT_GT(micro_with([](auto& model) { model.config.rms_norm_eps = 1e-5; }), logit_tolerance);
}

TEST(Features, queries_that_read_another_groups_head_are_seen) {
  EXPECT_GT(micro_with(exchange_all_kv_heads), 10 * logit_tolerance);
  EXPECT_GT(tiny_with(exchange_all_kv_heads), 10 * logit_tolerance);
}

TEST(Features, a_head_that_is_not_the_embedding_is_seen) {
  const auto other_head = [](engine::resident_model& model) {
    model.head.data = model.embedding.row(1);
    --model.head.rows;  // stays inside of the table
    model.config.vocab_rows = model.head.rows;
  };
  const reference_file reference(micro_folder / "reference.safetensors");
  running_engine engine(micro_folder, other_head);
  const auto got = expect(engine->forward(reference.ids("logits40.ids")));
  const auto& want = reference.reals("logits40.last16");
  const std::size_t rows = 2047;
  EXPECT_GT(
      relative_difference(std::span(got.logits).last(rows), std::span(want).last(2048).first(rows)),
      10 * logit_tolerance);
}

TEST(Features, another_rope_theta_is_seen) {
  EXPECT_GT(micro_with([](auto& model) { model.config.rope_theta = 1e4; }), 10 * logit_tolerance);
  EXPECT_GT(tiny_with([](auto& model) { model.config.rope_theta = 1e4; }), 10 * logit_tolerance);
}

TEST(Features, norm_gains_of_another_layer_are_seen) {
  EXPECT_GT(tiny_with([](auto& model) {
              std::swap(model.layers[0].input_norm, model.layers[1].input_norm);
            }),
            10 * logit_tolerance);
}

}  // namespace
}  // namespace assay::engine_test
