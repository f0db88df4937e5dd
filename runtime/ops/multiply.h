// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Weight times activations, for one token and for many; and the norm that goes before.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/ops/weight.h"

namespace assay::ops {

struct row_range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// The rows of `total` that block `block` of `blocks` owns.
row_range rows_of_block(std::uint32_t total, const device::block_context& context);

/// Rows of `row_bytes` that one block takes of `rows`, in whole panels: 128 KiB or more, which is
/// 6 µs of a core's share of the memory, against 1 µs or two for which a launch waits for its last
/// block. For many tokens, more rows for each reading of them, as long as there are blocks for 16
/// threads.
std::uint32_t rows_a_block(std::uint64_t row_bytes, std::uint32_t rows, std::uint32_t tokens);
std::uint32_t blocks_of(const weight& w, std::uint32_t tokens);
/// Rows of `w` that its block number `index` takes.
row_range rows_at(const weight& w, std::uint32_t index, std::uint32_t tokens);

enum class into : std::uint8_t { store, add };

/// The rows that multiply takes for `range`: as many as it has, of one token from each quarter of
/// the weight, and from each half where two weights are multiplied at once. Ranges that cover a
/// weight without overlap take each row once.
std::array<row_range, 4> rows_taken(const weight& w, row_range range, std::uint32_t tokens,
                                    std::uint32_t weights = 1);

/// Where multiply begins to read for one token and `range`; half as many places where two weights
/// are multiplied at once.
device::first_reads reads_of(const weight& w, row_range range, std::uint32_t weights = 1);

/// out[t][r] (=, +=) w[r] · x[t] for the rows that are taken for `range`.
/// Shapes: x (tokens, w.columns), out (tokens, w.rows), f32.
/// Tallies each row of the weight once, where it is read.
void multiply(const weight& w, row_range range, const float* x, std::uint32_t tokens, float* out,
              into how, device::block_context& context);

/// What multiply stores of two weights of one shape, for the rows taken with `weights` 2:
/// one token's products of both at a time, so that each weight is read on where it was left; of two
/// types, one after the other.
struct weight_pair {
  weight first;
  weight second;
  float* first_out = nullptr;
  float* second_out = nullptr;
};
void multiply_pair(const weight_pair& pair, row_range range, const float* x, std::uint32_t tokens,
                   device::block_context& context);

/// out[t] = x[t] / sqrt(mean(x[t]²) + eps) · gain. Shapes: (tokens, gain.columns) f32.
void rms_norm(const weight& gain, float eps, const float* x, std::uint32_t tokens, float* out,
              device::block_context& context);

}  // namespace assay::ops
