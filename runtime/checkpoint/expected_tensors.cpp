// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fmt/format.h>

#include "runtime/checkpoint/checkpoint.h"

namespace assay::checkpoint {
namespace {

using shape = std::vector<std::uint64_t>;

void add_layer(const model_config& config, std::uint32_t layer, std::vector<expected_tensor>& all) {
  const std::uint64_t hidden = config.hidden_size;
  const std::uint64_t inner = config.intermediate_size;
  const std::uint64_t head_dim = config.head_dim;
  const std::uint64_t query_rows = config.head_count * head_dim;
  const std::uint64_t kv_rows = config.kv_head_count * head_dim;
  const auto add_named = [&](const char* part, const char* kind, shape extents) {
    all.push_back({fmt::format("model.layers.{}.{}.{}", layer, part, kind), std::move(extents)});
  };
  const auto add = [&](const char* part, shape extents) {
    add_named(part, "weight", std::move(extents));
  };
  const auto add_projection = [&](const char* part, std::uint64_t rows) {
    add(part, {rows, hidden});
    if (config.has_qkv_bias) add_named(part, "bias", {rows});
  };
  add("input_layernorm", {hidden});
  add_projection("self_attn.q_proj", query_rows);
  add_projection("self_attn.k_proj", kv_rows);
  add_projection("self_attn.v_proj", kv_rows);
  if (config.has_qk_norm) {
    add("self_attn.q_norm", {head_dim});
    add("self_attn.k_norm", {head_dim});
  }
  add("self_attn.o_proj", {hidden, query_rows});
  add("post_attention_layernorm", {hidden});
  add("mlp.gate_proj", {inner, hidden});
  add("mlp.up_proj", {inner, hidden});
  add("mlp.down_proj", {hidden, inner});
}

}  // namespace

std::vector<expected_tensor> expected_tensors(const model_config& config) {
  const shape table{config.vocab_rows, config.hidden_size};
  std::vector<expected_tensor> all;
  all.push_back({"model.embed_tokens.weight", table});
  for (std::uint32_t layer = 0; layer < config.layer_count; ++layer) add_layer(config, layer, all);
  all.push_back({"model.norm.weight", {config.hidden_size}});
  if (!config.is_head_tied) all.push_back({"lm_head.weight", table});
  return all;
}

}  // namespace assay::checkpoint
