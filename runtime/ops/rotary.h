// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Per-head norm of queries and keys, then their rotation by position.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/ops/weight.h"

namespace assay::ops {

/// Shapes: q (tokens, heads, head_dim), k (tokens, kv_heads, head_dim), f32, in place; rotary as
/// embed wrote it. A gain without data leaves its norm out, for architectures that have none.
struct qk_rotary_arguments {
  float* q = nullptr;
  float* k = nullptr;
  weight q_gain;
  weight k_gain;
  const float* rotary = nullptr;
  std::uint32_t tokens = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  float eps = 0.0F;
};

/// Two blocks, queries and keys, or one for few tokens. Rotates halves of a head against each
/// other, as Hugging Face lays them out (element i with i + head_dim / 2), not neighbours.
device::kernel qk_rotary(const qk_rotary_arguments& arguments);

}  // namespace assay::ops
