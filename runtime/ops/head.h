// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Final norm and head: logits.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/ops/weight.h"

namespace assay::ops {

/// Shapes: x and normed (positions, hidden), logits (positions, head.rows), f32: whatever positions
/// the caller wants logits of, usually the last alone.
struct head_arguments {
  const float* x = nullptr;
  float* normed = nullptr;
  weight gain;
  weight head;
  float* logits = nullptr;
  std::uint32_t positions = 0;
  float eps = 0.0F;
};

/// The norm before the first block, for norm_qkv's reason. Reads the whole head, tied or not.
device::kernel head(const head_arguments& arguments);

}  // namespace assay::ops
