// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Projections around attention: norm with query, key and value; and back onto the residual stream.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/ops/weight.h"

namespace assay::ops {

/// Shapes: x and normed (tokens, hidden); q (tokens, heads · head_dim); k, v (tokens, kv_heads ·
/// head_dim); all f32.
struct norm_qkv_arguments {
  const float* x = nullptr;
  float* normed = nullptr;  ///< scratch
  weight gain;
  weight q_weight;
  weight k_weight;
  weight v_weight;
  weight q_bias;  ///< without data where the architecture has none; so the next two
  weight k_bias;
  weight v_bias;
  float* q = nullptr;
  float* k = nullptr;
  float* v = nullptr;
  std::uint32_t tokens = 0;
  float eps = 0.0F;
};

/// The norm is made before the first block: every row needs it whole, and a block that made its own
/// would read the gain again.
device::kernel norm_qkv(const norm_qkv_arguments& arguments);

/// Shapes: input (tokens, w.columns), residual (tokens, w.rows), f32.
struct project_add_arguments {
  const float* input = nullptr;
  weight w;
  float* residual = nullptr;
  std::uint32_t tokens = 0;
};

/// residual += input · wᵀ. Blocks as rows_a_block cuts the weight.
device::kernel project_add(std::string_view name, const project_add_arguments& arguments);

}  // namespace assay::ops
