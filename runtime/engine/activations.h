// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a forward pass writes on its way: one arena buffer for the longest pass.
#pragma once

#include <cstdint>

#include "runtime/checkpoint/model_config.h"
#include "runtime/memory/arena.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// Shapes: (tokens, …) row-major f32 unless said.
struct activations {
  std::int32_t* ids = nullptr;  ///< (tokens) int32
  float* x = nullptr;           ///< (tokens, hidden): the residual stream
  float* normed = nullptr;      ///< (tokens, hidden)
  float* rotary = nullptr;      ///< (tokens, head_dim)
  float* q = nullptr;           ///< (tokens, heads, head_dim)
  float* k = nullptr;           ///< (tokens, kv_heads, head_dim)
  float* v = nullptr;           ///< (tokens, kv_heads, head_dim)
  float* mixed = nullptr;       ///< (tokens, heads, head_dim)
  float* gate = nullptr;        ///< (tokens, intermediate)
  float* up = nullptr;          ///< (tokens, intermediate)
  float* logits = nullptr;      ///< (vocab_rows): the last position's
  memory::device_buffer buffer;

  /// Bytes that passes of up to `tokens` tokens need.
  static std::uint64_t needed_bytes(const checkpoint::model_config& config, std::uint64_t tokens);
  /// Errors: out_of_memory.
  static result<activations> create(memory::arena& from, const checkpoint::model_config& config,
                                    std::uint64_t tokens);
};

}  // namespace assay::engine
