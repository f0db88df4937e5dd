// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The architecture of a checkpoint, as its config.json declares it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

enum class architecture : std::uint8_t { llama, qwen2, qwen3 };

/// Rope type "llama3": slow rotary frequencies are divided by `factor`, fast ones kept, by how
/// often each turns within the original context (runtime/ops/rotary_frequency.h).
struct llama3_scaling {
  double factor = 1.0;           ///< at least 1
  double low_freq_factor = 0.0;  ///< turns; below high_freq_factor
  double high_freq_factor = 0.0;
  std::uint32_t original_context_tokens = 0;

  bool operator==(const llama3_scaling&) const = default;
};

/// Everything that changes the result. A key that would change it and is not handled here is an
/// error at read time, never a silent default.
struct model_config {
  checkpoint::architecture architecture = architecture::qwen3;
  std::uint32_t vocab_rows = 0;  ///< rows of embedding and head; may exceed the tokenizer's ids
  std::uint32_t hidden_size = 0;
  std::uint32_t intermediate_size = 0;
  std::uint32_t layer_count = 0;
  std::uint32_t head_count = 0;
  std::uint32_t kv_head_count = 0;
  std::uint32_t head_dim = 0;  ///< not always hidden_size / head_count
  std::uint32_t max_context_tokens = 0;
  double rms_norm_eps = 0.0;
  double rope_theta = 0.0;
  std::optional<llama3_scaling> rope_scaling;
  bool has_qkv_bias = false;  ///< the query, key and value projections add a bias each
  bool has_qk_norm = false;   ///< queries and keys are normed a head
  bool is_head_tied = false;  ///< the head reads the embedding table
  std::vector<std::int32_t> eos_token_ids;

  bool operator==(const model_config&) const = default;
};

/// Parses the text of a config.json; `file` names it in errors.
/// Accepts the newer keys (rope_parameters, dtype) and the older (rope_theta, rope_scaling,
/// torch_dtype).
/// Errors: unusable_input, naming file, field and fix: not JSON, missing or non-positive field,
/// unknown architecture, activation, or rope type, heads that do not divide, a window, a key whose
/// effect nobody has judged.
result<model_config> parse_config(std::string_view text, const std::filesystem::path& file);

}  // namespace assay::checkpoint
