// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of prefill that go over rows: memory decides their time, so each value is read and
// written once, 16 bytes at a time where the layout has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/prefill_kernels.h"
#include "runtime/ops/cuda/row_tile.cuh"
#include "runtime/ops/cuda/vector_types.cuh"

namespace assay::ops::cuda {

inline constexpr int row_threads = 256;
inline constexpr int append_threads = 256;

template <int Count>
__device__ __forceinline__ void load_floats(const float* from, float (&to)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 4)
    *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i);
}

/// Grid: a block a token.
template <class T>
__global__ void __launch_bounds__(row_threads)
    embed_rows_kernel(const __grid_constant__ embed_rows_arguments a, std::uint32_t first,
                      std::uint32_t tokens) {
  constexpr int values = vector_values<T>;
  const auto id = static_cast<std::size_t>(a.ids[blockIdx.x]);
  const T* from = static_cast<const T*>(a.embedding) + id * a.columns;
  float* to = a.x + std::size_t{blockIdx.x} * a.columns;
  for (std::uint32_t c = threadIdx.x * values; c < a.columns; c += row_threads * values) {
    alignas(16) float row[values];
    widen<T>(*reinterpret_cast<const uint4*>(from + c), row);
#pragma unroll
    for (int i = 0; i < values; i += 4)
      *reinterpret_cast<float4*>(to + c + i) = *reinterpret_cast<const float4*>(row + i);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    a.state->position = static_cast<std::int32_t>(first + tokens - 1);
}

/// Grid: a block a token. A row is read twice, the second time out of L1.
/// `Threads`: not twice as many as have a value, or half of a short row's would wait for nothing.
template <class T, int Threads>
__global__ void __launch_bounds__(Threads)
    norm_rows_kernel(const __grid_constant__ norm_rows_arguments a) {
  constexpr int values = vector_values<T>;
  __shared__ float partial[Threads / 32];
  const float* x = a.x + std::size_t{blockIdx.x} * a.columns;
  float squares = 0.0F;
  for (std::uint32_t c = threadIdx.x * values; c < a.columns; c += Threads * values) {
    alignas(16) float row[values];
    load_floats(x + c, row);
#pragma unroll
    for (int i = 0; i < values; ++i) squares += row[i] * row[i];
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = squares;
  __syncthreads();
  float all = 0.0F;
#pragma unroll
  for (int w = 0; w < Threads / 32; ++w) all += partial[w];
  const float scale = rsqrtf(all / static_cast<float>(a.columns) + a.eps);
  T* out = static_cast<T*>(a.out) + std::size_t{blockIdx.x} * a.columns;
  for (std::uint32_t c = threadIdx.x * values; c < a.columns; c += Threads * values) {
    alignas(16) float row[values];
    float gain[values];
    load_floats(x + c, row);
    widen<T>(*reinterpret_cast<const uint4*>(static_cast<const T*>(a.gain) + c), gain);
#pragma unroll
    for (int i = 0; i < values; ++i) row[i] *= scale * gain[i];
    *reinterpret_cast<uint4*>(out + c) = narrow<T>(row);
  }
}

/// Two neighbouring values of a row.
template <class T>
struct alignas(2 * sizeof(T)) value_pair {
  T at[2];
};

/// A team of lanes has one head's row: each lane two elements of its lower half, and the two of its
/// upper half that they are rotated with.
template <class T, int HeadDim>
struct append_team {
  static constexpr int lanes = HeadDim / 4;
  static constexpr int in_block = append_threads / lanes;

  int column;
  float cosines[2], sines[2];

  /// `angles` as turn_angles left them.
  __device__ explicit append_team(const float2* angles)
      : column(static_cast<int>(threadIdx.x) % lanes * 2) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      sines[i] = angles[column + i].x;
      cosines[i] = angles[column + i].y;
    }
  }
  /// Values in order: two of the lower half, two of the upper.
  __device__ void load(const T* row, float (&to)[4]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto pair =
          *reinterpret_cast<const value_pair<T>*>(row + half * (HeadDim / 2) + column);
      to[2 * half] = widened(pair.at[0]);
      to[2 * half + 1] = widened(pair.at[1]);
    }
  }
  __device__ void store(T* row, const float (&from)[4]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<value_pair<T>*>(row + half * (HeadDim / 2) + column) = {
          {narrowed<T>(from[2 * half]), narrowed<T>(from[2 * half + 1])}};
  }
  /// All lanes of a warp come here together, whatever head each team has.
  __device__ void norm(float (&row)[4], const T* gain, float eps) const {
    // Teams of a warp may have heads of different parts: all or none of it leaves.
    if (!__any_sync(0xffffffffU, gain != nullptr)) return;
    float squares = 0.0F;
#pragma unroll
    for (int i = 0; i < 4; ++i) squares += row[i] * row[i];
#pragma unroll
    for (int offset = lanes / 2; offset > 0; offset /= 2)
      squares += __shfl_xor_sync(0xffffffffU, squares, offset);
    if (gain == nullptr) return;
    const float scale = rsqrtf(squares / HeadDim + eps);
    float factors[4];
    load(gain, factors);
#pragma unroll
    for (int i = 0; i < 4; ++i) row[i] *= scale * factors[i];
  }
  __device__ void rotate(float (&row)[4]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float low = row[i];
      const float high = row[2 + i];
      row[i] = low * cosines[i] - high * sines[i];
      row[2 + i] = high * cosines[i] + low * sines[i];
    }
  }
};

/// Which row a head of a token is, and what is done to it.
struct append_head {
  int part;              ///< 0 of q, 1 of k, 2 of v
  std::uint32_t within;  ///< among its part's

  __device__ append_head(const append_rows_arguments& a, std::uint32_t head)
      : part(head < a.heads                ? 0
             : head < a.heads + a.kv_heads ? 1
                                           : 2),
        within(head - (part == 0 ? 0 : a.heads + (part - 1) * a.kv_heads)) {}
  __device__ const void* bias(const append_rows_arguments& a) const {
    return part == 0 ? a.q_bias : part == 1 ? a.k_bias : a.v_bias;
  }
  __device__ const void* gain(const append_rows_arguments& a) const {
    return part == 0 ? a.q_gain : part == 1 ? a.k_gain : nullptr;
  }
};

/// Sine and cosine of each pair of a head at a position, once a block: they are the same for every
/// head, and cost a team as much as the rest of its row.
template <int HeadDim>
__device__ __forceinline__ void turn_angles(const float* frequencies, std::uint32_t position,
                                            float2* angles) {
  if (threadIdx.x < HeadDim / 2) {
    float sine, cosine;
    sincosf(static_cast<float>(position) * frequencies[threadIdx.x], &sine, &cosine);
    angles[threadIdx.x] = {sine, cosine};
  }
  __syncthreads();
}

/// Grid: a block a token, its teams take the heads of q, k and v in turn.
template <class T, int HeadDim>
__global__ void __launch_bounds__(append_threads)
    append_rows_kernel(const __grid_constant__ append_rows_arguments a, std::uint32_t first) {
  using team = append_team<T, HeadDim>;
  __shared__ float2 angles[HeadDim / 2];
  const std::uint32_t position = first + blockIdx.x;
  const std::uint32_t all = a.heads + 2 * a.kv_heads;
  T* rows = static_cast<T*>(a.qkv) + std::size_t{blockIdx.x} * all * HeadDim;
  const std::size_t page = a.table[position / a.page_tokens];
  T* page_rows = static_cast<T*>(a.pages) +
                 (page * a.kv_heads * 2 * a.page_tokens + position % a.page_tokens) * HeadDim;
  turn_angles<HeadDim>(a.frequencies, position, angles);
  const team mine(angles);
  // The same number of turns for every team: the lanes of a warp norm together.
  for (std::uint32_t turn = 0; turn < all; turn += team::in_block) {
    const std::uint32_t asked = turn + threadIdx.x / team::lanes;
    const std::uint32_t row_head = asked < all ? asked : 0;
    const append_head head(a, row_head);
    float row[4];
    mine.load(rows + std::size_t{row_head} * HeadDim, row);
    if (const void* bias = head.bias(a); bias != nullptr) {
      float more[4];
      mine.load(static_cast<const T*>(bias) + head.within * HeadDim, more);
#pragma unroll
      for (int i = 0; i < 4; ++i) row[i] += more[i];
    }
    mine.norm(row, static_cast<const T*>(head.gain(a)), a.eps);
    if (head.part != 2) mine.rotate(row);
    if (asked >= all) continue;
    T* to = head.part == 0 ? rows + std::size_t{asked} * HeadDim
                           : page_rows + std::size_t{head.within * 2 + (head.part - 1)} *
                                             a.page_tokens * HeadDim;
    mine.store(to, row);
  }
}

/// Grid: (blocks of a row, tokens).
template <class T>
__global__ void __launch_bounds__(row_threads)
    gate_rows_kernel(const __grid_constant__ gate_rows_arguments a) {
  constexpr int values = vector_values<T>;
  const std::uint32_t c = (blockIdx.x * row_threads + threadIdx.x) * values;
  if (c >= a.columns) return;
  const T* gates = static_cast<const T*>(a.gate_up) + std::size_t{blockIdx.y} * 2 * a.columns + c;
  float gate[values];
  float up[values];
  widen<T>(*reinterpret_cast<const uint4*>(gates), gate);
  widen<T>(*reinterpret_cast<const uint4*>(gates + a.columns), up);
#pragma unroll
  for (int i = 0; i < values; ++i) gate[i] = gate[i] / (1.0F + __expf(-gate[i])) * up[i];
  *reinterpret_cast<uint4*>(static_cast<T*>(a.out) + std::size_t{blockIdx.y} * a.columns + c) =
      narrow<T>(gate);
}

}  // namespace assay::ops::cuda
