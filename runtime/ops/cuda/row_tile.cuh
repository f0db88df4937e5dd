// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How a block of threads lies over a stage of weight rows.
#pragma once

#include <cstdint>

#include "runtime/ops/cuda/vector_types.cuh"

namespace assay::ops::cuda {

/// `WarpsK` warps lie side by side along a row, `Groups` such teams take different rows,
/// `GroupRows` rows each at a time. A thread covers `Vectors` loads of each of its rows, always of
/// the same columns, so that it keeps its part of the activation in registers. One more warp issues
/// the copies.
template <class Weight, int WarpsK, int Vectors, int Groups, int GroupRows>
struct row_tile {
  using weight = Weight;
  static constexpr int warps_k = WarpsK;
  static constexpr int vectors = Vectors;
  static constexpr int groups = Groups;
  static constexpr int group_rows = GroupRows;
  static constexpr int stage_rows = Groups * GroupRows;
  static constexpr int consumer_warps = WarpsK * Groups;
  static constexpr int consumers = 32 * consumer_warps;
  static constexpr int threads = consumers + 32;
  static constexpr int values = vector_values<Weight>;
  static constexpr std::uint32_t columns = WarpsK * 32 * Vectors * values;
  /// Rows whose partial sums wait for one barrier.
  static constexpr int buffered_rows = 64;
  /// Blocks whose registers a multiprocessor holds: attention takes half of them.
  static constexpr int blocks_of_registers = Vectors * values <= 16 ? 2 : 1;
  static_assert(buffered_rows % stage_rows == 0);
  static_assert(stage_rows <= 32, "a lane of the copying warp issues one row");
};

/// Adds `values[r]` over the lanes of a warp, all rows at once: each exchange halves the rows that
/// a lane still carries, so that 4 rows cost 6 shuffles and not 20. Returns the sum of row
/// reduced_row<Rows>(lane).
template <int Rows>
__device__ __forceinline__ float reduce_rows(float (&values)[Rows], int lane) {
  static_assert(Rows == 1 || Rows == 2 || Rows == 4);
  int offset = 16;
#pragma unroll
  for (int rows = Rows; rows > 1; rows /= 2, offset /= 2) {
    const bool keeps_upper = (lane & offset) != 0;
#pragma unroll
    for (int r = 0; r < rows / 2; ++r) {
      const float sent = keeps_upper ? values[r] : values[r + rows / 2];
      const float kept = keeps_upper ? values[r + rows / 2] : values[r];
      values[r] = kept + __shfl_xor_sync(0xffffffffU, sent, offset);
    }
  }
  float sum = values[0];
#pragma unroll
  for (; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  return sum;
}

template <int Rows>
__device__ __forceinline__ int reduced_row(int lane) {
  if constexpr (Rows == 4) return ((lane >> 4) & 1) * 2 + ((lane >> 3) & 1);
  if constexpr (Rows == 2) return (lane >> 4) & 1;
  return 0;
}

/// One lane of those that carry the same row.
template <int Rows>
__device__ __forceinline__ bool is_row_lane(int lane) {
  return (lane & (32 / Rows - 1)) == 0;
}

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  return value;
}

}  // namespace assay::ops::cuda
