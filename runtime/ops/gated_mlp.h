// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Norm, gate and up projections, and their gated product.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/ops/weight.h"

namespace assay::ops {

/// Shapes: x and normed (tokens, hidden); gate and up (tokens, intermediate), f32. The product is
/// left in `gate`.
struct gated_mlp_arguments {
  const float* x = nullptr;
  float* normed = nullptr;  ///< scratch
  weight gain;
  weight gate_weight;
  weight up_weight;
  float* gate = nullptr;
  float* up = nullptr;
  std::uint32_t tokens = 0;
  float eps = 0.0F;
};

/// gate = silu(norm(x) · gate_weightᵀ) · (norm(x) · up_weightᵀ). The norm before the first
/// block, for norm_qkv's reason; a block takes the same rows of both.
device::kernel gated_mlp(const gated_mlp_arguments& arguments);

}  // namespace assay::ops
