// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/synth/shape.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace assay::synth {
namespace {

constexpr std::uint64_t one_file = std::uint64_t{1} << 40;
constexpr std::uint64_t five_gb = 5'000'000'000;

// The models' public config.json files; the tiny ones are for tests.
constexpr std::array<shape, 5> table{{
    {"qwen3-0.6b", family::qwen3, 151'936, 1024, 3072, 28, 16, 8, 128, 40'960, 1e6, 1.0, 1e-6, true,
     one_file},
    {"llama-3.2-1b", family::llama, 128'256, 2048, 8192, 16, 32, 8, 64, 131'072, 5e5, 32.0, 1e-5,
     true, one_file},
    {"llama-3-8b", family::llama, 128'256, 4096, 14'336, 32, 32, 8, 128, 8192, 5e5, 1.0, 1e-5,
     false, five_gb},
    {"tiny-qwen3", family::qwen3, 1024, 256, 1024, 2, 8, 4, 64, 512, 1e6, 1.0, 1e-6, true,
     one_file},
    {"tiny-llama", family::llama, 512, 128, 256, 2, 4, 2, 32, 512, 5e5, 1.0, 1e-5, false, 200'000},
}};

void add_layer(const shape& of, std::uint32_t layer, std::vector<tensor>& to) {
  const std::string prefix = fmt::format("model.layers.{}.", layer);
  const auto matrix = [&](const char* part, std::uint64_t rows, std::uint64_t columns) {
    to.push_back({prefix + part + ".weight", rows, columns, false});
  };
  const auto gain = [&](const char* part, std::uint64_t columns) {
    to.push_back({prefix + part + ".weight", 0, columns, true});
  };
  const std::uint64_t queries = std::uint64_t{of.heads} * of.head_dim;
  const std::uint64_t keys = std::uint64_t{of.kv_heads} * of.head_dim;
  gain("input_layernorm", of.hidden);
  matrix("self_attn.q_proj", queries, of.hidden);
  matrix("self_attn.k_proj", keys, of.hidden);
  matrix("self_attn.v_proj", keys, of.hidden);
  if (of.kind == family::qwen3) {
    gain("self_attn.q_norm", of.head_dim);
    gain("self_attn.k_norm", of.head_dim);
  }
  matrix("self_attn.o_proj", of.hidden, queries);
  gain("post_attention_layernorm", of.hidden);
  matrix("mlp.gate_proj", of.intermediate, of.hidden);
  matrix("mlp.up_proj", of.intermediate, of.hidden);
  matrix("mlp.down_proj", of.hidden, of.intermediate);
}

}  // namespace

std::span<const shape> shapes() {
  return table;
}

result<shape> find_shape(std::string_view name) {
  const auto* found =
      std::find_if(table.begin(), table.end(), [&](const shape& s) { return s.name == name; });
  if (found != table.end()) return *found;
  std::string known;
  for (const shape& each : table)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
  return ASSAY_FAIL(usage, fmt::format("shape '{}' is not known; give one of {}", name, known));
}

std::vector<tensor> tensors_of(const shape& of) {
  std::vector<tensor> all;
  all.push_back({"model.embed_tokens.weight", of.vocab_rows, of.hidden, false});
  for (std::uint32_t layer = 0; layer < of.layers; ++layer) add_layer(of, layer, all);
  all.push_back({"model.norm.weight", 0, of.hidden, true});
  if (!of.is_head_tied) all.push_back({"lm_head.weight", of.vocab_rows, of.hidden, false});
  return all;
}

}  // namespace assay::synth
