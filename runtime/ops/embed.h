// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The first operator of a pass: embedding rows, and the angles that every layer's rotation uses.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/ops/rotary_frequency.h"
#include "runtime/ops/weight.h"

namespace assay::ops {

/// Shapes: ids (tokens) int32; x (tokens, table.columns) f32; rotary (tokens, head_dim) f32, the
/// cosines of a position in the first half of its row and the sines in the second.
struct embed_arguments {
  const std::int32_t* ids = nullptr;
  weight table;
  float* x = nullptr;
  float* rotary = nullptr;
  std::uint32_t tokens = 0;
  std::uint32_t start = 0;  ///< position of the first token
  std::uint32_t head_dim = 0;
  double rope_theta = 0.0;
  rotary_scaling scaling;
};

/// One block a token. Reads one row of the table a token.
device::kernel embed(const embed_arguments& arguments);

}  // namespace assay::ops
