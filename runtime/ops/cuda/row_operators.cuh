// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What row_products does with its rows: what they are multiplied with, and where the sums go.
//
// An operator has: has_norm, unit (rows that finish together), tally (a thread's own), columns,
// load_x(), prepare(), finish(), close().
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/decode_kernels.h"
#include "runtime/ops/cuda/pipeline.cuh"
#include "runtime/ops/cuda/row_tile.cuh"

namespace assay::ops::cuda {

struct no_tally {};

template <class Weight>
struct norm_qkv_operator {
  static constexpr bool has_norm = true;
  static constexpr int unit = 1;
  using tally = no_tally;

  std::uint32_t columns, q_rows, kv_rows;
  float eps;
  float* x;
  const Weight* embedding;
  const decode_state* state;
  const Weight* gain;
  const Weight* biases[3];
  float* out;

  /// Which of q, k, v a row belongs to; `row` becomes the row within it.
  __device__ int part_of(std::uint32_t& row) const {
    if (row < q_rows) return 0;
    row -= q_rows;
    if (row < kv_rows) return 1;
    row -= kv_rows;
    return 2;
  }
  __device__ void load_x(std::uint32_t column, float (&to)[vector_values<Weight>]) const {
    if (embedding == nullptr) return load_activations(x + column, to);
    const auto token = static_cast<std::size_t>(__ldcg(&state->token));
    widen<Weight>(*reinterpret_cast<const uint4*>(embedding + token * columns + column), to);
    if (blockIdx.x != 0) return;
#pragma unroll
    for (int v = 0; v < vector_values<Weight>; ++v) x[column + v] = to[v];
  }
  __device__ void prepare(std::uint32_t, tally&) const {}
  __device__ void finish(std::uint32_t row, const float (&sums)[1], float scale, tally&) const {
    std::uint32_t within = row;
    const Weight* bias = biases[part_of(within)];
    out[row] = sums[0] * scale + (bias == nullptr ? 0.0F : widened(bias[within]));
  }
  __device__ void close(const tally&, float*) const {}
};

template <class Weight>
struct project_add_operator {
  static constexpr bool has_norm = false;
  static constexpr int unit = 1;
  struct tally {
    float before = 0.0F;
  };

  std::uint32_t columns;
  const float* input;
  float* residual;

  __device__ void load_x(std::uint32_t column, float (&to)[vector_values<Weight>]) const {
    load_activations(input + column, to);
  }
  __device__ void prepare(std::uint32_t row, tally& mine) const {
    mine.before = __ldcg(residual + row);
  }
  __device__ void finish(std::uint32_t row, const float (&sums)[1], float, tally& mine) const {
    residual[row] = mine.before + sums[0];
  }
  __device__ void close(const tally&, float*) const {}
};

/// Rows 2r and 2r + 1 are row r of gate and of up.
template <class Weight>
struct gated_mlp_operator {
  static constexpr bool has_norm = true;
  static constexpr int unit = 2;
  using tally = no_tally;

  std::uint32_t columns;
  float eps;
  const float* x;
  const Weight* gain;
  float* out;

  __device__ void load_x(std::uint32_t column, float (&to)[vector_values<Weight>]) const {
    load_activations(x + column, to);
  }
  __device__ void prepare(std::uint32_t, tally&) const {}
  __device__ void finish(std::uint32_t row, const float (&sums)[2], float scale, tally&) const {
    const float gate_value = sums[0] * scale;
    out[row / 2] = gate_value / (1.0F + __expf(-gate_value)) * (sums[1] * scale);
  }
  __device__ void close(const tally&, float*) const {}
};

/// A logit and its row as one number that orders as (logit, then lower row first). Not a number
/// becomes 0, which is below every logit.
__device__ __forceinline__ unsigned long long ranked(float logit, std::uint32_t row) {
  if (isnan(logit)) return 0;
  const std::uint32_t bits = __float_as_uint(logit);
  const std::uint32_t ordered = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
  return static_cast<unsigned long long>(ordered) << 32 | (0xffffffffU - row);
}

template <class Weight>
struct head_operator {
  static constexpr bool has_norm = true;
  static constexpr int unit = 1;
  struct tally {
    unsigned long long best = 0;
  };

  std::uint32_t columns;
  float eps;
  const float* x;
  const Weight* gain;
  float* logits;
  decode_state* state;
  std::int32_t* chosen;
  const std::int32_t* forced;

  __device__ void load_x(std::uint32_t column, float (&to)[vector_values<Weight>]) const {
    load_activations(x + column, to);
  }
  __device__ void prepare(std::uint32_t, tally&) const {}
  __device__ void finish(std::uint32_t row, const float (&sums)[1], float scale,
                         tally& mine) const {
    const float logit = sums[0] * scale;
    logits[row] = logit;
    const unsigned long long rank = ranked(logit, row);
    if (rank > mine.best) mine.best = rank;
  }
  // Only the threads that finish rows have a choice: the first two warps.
  __device__ void close(const tally& mine, float*) const {
    if (threadIdx.x >= 64) return;
    unsigned long long best = mine.best;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      const unsigned long long other = __shfl_xor_sync(0xffffffffU, best, offset);
      if (other > best) best = other;
    }
    if (threadIdx.x % 32 != 0) return;
    atomicMax(&state->best, best);
    __threadfence();
    if (atomicInc(&state->arrived, 2 * gridDim.x - 1) != 2 * gridDim.x - 1) return;
    __threadfence();
    advance(atomicExch(&state->best, 0ULL));
  }
  __device__ void advance(unsigned long long best) const {
    const std::int32_t position = state->position;
    const std::int32_t id =
        best == 0 ? -1 : static_cast<std::int32_t>(0xffffffffU - static_cast<std::uint32_t>(best));
    chosen[position] = id;
    const std::uint32_t next = static_cast<std::uint32_t>(position) + 1;
    state->token = next < state->forced_count ? forced[next] : id;
    state->position = position + 1;
    state->steps += 1;
  }
};

}  // namespace assay::ops::cuda
