// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Shapes of real models, to be filled with random weights.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::synth {

enum class family : std::uint8_t { qwen3, llama };

/// What a model's config.json says of its size.
struct shape {
  std::string_view name;
  family kind = family::qwen3;
  std::uint32_t vocab_rows = 0;
  std::uint32_t hidden = 0;
  std::uint32_t intermediate = 0;
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  std::uint32_t context_tokens = 0;
  double rope_theta = 0.0;
  double rope_factor = 1.0;  ///< above 1: Llama 3's scaling, of an original context of 8192
  double norm_eps = 0.0;
  bool is_head_tied = false;
  std::uint64_t shard_bytes = 0;  ///< a file holds whole tensors up to this many bytes of payload
};

std::span<const shape> shapes();

/// Errors: usage, naming those that there are.
result<shape> find_shape(std::string_view name);

/// One tensor of a checkpoint. Shape: rows by columns, or a vector of `columns` where rows is 0.
struct tensor {
  std::string name;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  bool is_gain = false;

  std::uint64_t elements() const { return (rows == 0 ? 1 : rows) * columns; }
  std::uint64_t bytes() const { return elements() * 2; }
};

/// In the order in which they are written.
std::vector<tensor> tensors_of(const shape& of);

}  // namespace assay::synth
