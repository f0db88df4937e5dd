// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The constant part of a projection, where an architecture has one.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/ops/multiply.h"
#include "runtime/ops/weight.h"

namespace assay::ops {

/// out[t][r] += bias[r] for the rows of `range`, part of the kernel that wrote `out`.
/// Shapes: bias (out rows), one row in its own type, or without data where there is none: then
/// nothing happens; out (tokens, bias.columns) f32.
/// Tallies each element once, where it is read.
void add_bias(const weight& bias, row_range range, std::uint32_t tokens, float* out,
              device::block_context& context);

}  // namespace assay::ops
