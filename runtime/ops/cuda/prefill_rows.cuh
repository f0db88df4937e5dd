// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of prefill that go over rows: memory decides their time, so each value is read and
// written once, 16 bytes at a time where the layout has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/pipeline.cuh"
#include "runtime/ops/cuda/prefill_kernels.h"
#include "runtime/ops/cuda/row_tile.cuh"
#include "runtime/ops/cuda/vector_types.cuh"

namespace assay::ops::cuda {

inline constexpr int row_threads = 256;
inline constexpr int append_threads = 256;
inline constexpr int norm_values = 32;  ///< of a row, a thread
inline constexpr int gate_threads = 512;
inline constexpr int gate_pieces = 2;

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
  wait_for_previous_kernel();
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

/// A row stays in registers between its norm's sum and its use. `a.columns` is at most Threads ·
/// norm_values.
/// Grid: blocks of `Rows` tokens, each with `Threads` threads: a warp, or the whole block.
template <class T, int Threads, int Rows>
__global__ void __launch_bounds__(Threads* Rows)
    norm_rows_kernel(const __grid_constant__ norm_rows_arguments a, std::uint32_t tokens) {
  static_assert(Rows == 1 || Threads == 32, "rows of one block meet nowhere but in their warps");
  constexpr int values = vector_values<T>;
  constexpr int pieces = norm_values / values;
  const std::uint32_t lane = threadIdx.x % Threads;
  const std::uint32_t token = blockIdx.x * Rows + threadIdx.x / Threads;
  if (Rows > 1 && token >= tokens) return;
  const float* x = a.x + std::size_t{token} * a.columns;
  alignas(16) float row[pieces][values];
  uint4 gains[pieces];
  float squares = 0.0F;
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
    const std::uint32_t c = (p * Threads + lane) * values;
    if (c < a.columns)
      gains[p] = *reinterpret_cast<const uint4*>(static_cast<const T*>(a.gain) + c);
  }
  wait_for_previous_kernel();
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
    const std::uint32_t c = (p * Threads + lane) * values;
    if (c < a.columns) {
      load_floats(x + c, row[p]);
    } else {
#pragma unroll
      for (int i = 0; i < values; ++i) row[p][i] = 0.0F;
    }
  }
#pragma unroll
  for (int p = 0; p < pieces; ++p)
#pragma unroll
    for (int i = 0; i < values; ++i) squares += row[p][i] * row[p][i];
  squares = warp_sum(squares);
  if constexpr (Threads > 32) {
    __shared__ float partial[Threads / 32];
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = squares;
    __syncthreads();
    squares = 0.0F;
#pragma unroll
    for (int w = 0; w < Threads / 32; ++w) squares += partial[w];
  }
  const float scale = rsqrtf(squares / static_cast<float>(a.columns) + a.eps);
  T* out = static_cast<T*>(a.out) + std::size_t{token} * a.columns;
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
    const std::uint32_t c = (p * Threads + lane) * values;
    if (c >= a.columns) continue;
    float gain[values];
    widen<T>(gains[p], gain);
#pragma unroll
    for (int i = 0; i < values; ++i) row[p][i] *= scale * gain[i];
    *reinterpret_cast<uint4*>(out + c) = narrow<T>(row[p]);
  }
}

/// Sixteen bytes of a row's lower half, and those of its upper half that they are rotated with.
template <class T>
struct row_halves {
  uint4 low, high;
};

/// A team of lanes has one head's row, each lane 16 bytes of either half.
template <class T, int HeadDim>
struct append_team {
  static constexpr int values = vector_values<T>;
  static constexpr int lanes = HeadDim / (2 * values);
  static constexpr int in_block = append_threads / lanes;

  int column = static_cast<int>(threadIdx.x) % lanes * values;

  __device__ row_halves<T> load(const T* row) const {
    return {*reinterpret_cast<const uint4*>(row + column),
            *reinterpret_cast<const uint4*>(row + HeadDim / 2 + column)};
  }
  __device__ void store(T* row, const float (&low)[values], const float (&high)[values]) const {
    *reinterpret_cast<uint4*>(row + column) = narrow<T>(low);
    *reinterpret_cast<uint4*>(row + HeadDim / 2 + column) = narrow<T>(high);
  }
  __device__ void add(const T* bias, float (&low)[values], float (&high)[values]) const {
    if (bias == nullptr) return;
    const row_halves<T> both = load(bias);
    float more[values];
    widen<T>(both.low, more);
#pragma unroll
    for (int i = 0; i < values; ++i) low[i] += more[i];
    widen<T>(both.high, more);
#pragma unroll
    for (int i = 0; i < values; ++i) high[i] += more[i];
  }
  /// All lanes of a warp come here together, whatever head each team has.
  __device__ void norm(float (&low)[values], float (&high)[values], const T* gain,
                       const row_halves<T>& factors, float eps) const {
    // Teams of a warp may have heads of different parts: all or none of it leaves.
    if (!__any_sync(0xffffffffU, gain != nullptr)) return;
    float squares = 0.0F;
#pragma unroll
    for (int i = 0; i < values; ++i) squares += low[i] * low[i] + high[i] * high[i];
#pragma unroll
    for (int offset = lanes / 2; offset > 0; offset /= 2)
      squares += __shfl_xor_sync(0xffffffffU, squares, offset);
    if (gain == nullptr) return;
    const float scale = rsqrtf(squares / HeadDim + eps);
    float factor[values];
    widen<T>(factors.low, factor);
#pragma unroll
    for (int i = 0; i < values; ++i) low[i] *= scale * factor[i];
    widen<T>(factors.high, factor);
#pragma unroll
    for (int i = 0; i < values; ++i) high[i] *= scale * factor[i];
  }
  /// `angles` as turn_angles left them.
  __device__ void rotate(const float2* angles, float (&low)[values], float (&high)[values]) const {
#pragma unroll
    for (int i = 0; i < values; ++i) {
      const float sine = angles[column + i].x;
      const float cosine = angles[column + i].y;
      const float before = low[i];
      low[i] = before * cosine - high[i] * sine;
      high[i] = high[i] * cosine + before * sine;
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

/// Grid: a block a token, its teams take the heads of q, k and v in turn. What memory gives is
/// asked for before the angles are made: most shapes have one turn, and wait once.
template <class T, int HeadDim>
__global__ void __launch_bounds__(append_threads)
    append_rows_kernel(const __grid_constant__ append_rows_arguments a, std::uint32_t first) {
  using team = append_team<T, HeadDim>;
  __shared__ __align__(16) float2 angles[HeadDim / 2];
  const std::uint32_t position = first + blockIdx.x;
  const std::uint32_t all = a.heads + 2 * a.kv_heads;
  T* rows = static_cast<T*>(a.qkv) + std::size_t{blockIdx.x} * all * HeadDim;
  const std::size_t page = a.table[position / a.page_tokens];
  T* page_rows = static_cast<T*>(a.pages) +
                 (page * a.kv_heads * 2 * a.page_tokens + position % a.page_tokens) * HeadDim;
  const team mine;
  wait_for_previous_kernel();
  // The same number of turns for every team: the lanes of a warp norm together.
  for (std::uint32_t turn = 0; turn < all; turn += team::in_block) {
    const std::uint32_t asked = turn + threadIdx.x / team::lanes;
    const std::uint32_t row_head = asked < all ? asked : 0;
    const append_head head(a, row_head);
    const auto* gain = static_cast<const T*>(head.gain(a));
    const row_halves<T> read = mine.load(rows + std::size_t{row_head} * HeadDim);
    row_halves<T> factors{};
    if (gain != nullptr) factors = mine.load(gain);
    if (turn == 0) turn_angles<HeadDim>(a.frequencies, position, angles);
    float low[team::values];
    float high[team::values];
    widen<T>(read.low, low);
    widen<T>(read.high, high);
    const auto* bias = static_cast<const T*>(head.bias(a));
    mine.add(bias == nullptr ? nullptr : bias + head.within * HeadDim, low, high);
    mine.norm(low, high, gain, factors, a.eps);
    if (head.part != 2) mine.rotate(angles, low, high);
    if (asked >= all) continue;
    T* to = head.part == 0 ? rows + std::size_t{asked} * HeadDim
                           : page_rows + std::size_t{head.within * 2 + (head.part - 1)} *
                                             a.page_tokens * HeadDim;
    mine.store(to, low, high);
  }
}

/// Grid: (blocks of a row, tokens), as many threads as a row has use for, two pieces of 16 bytes of
/// gates and of ups each.
template <class T>
__global__ void __launch_bounds__(gate_threads)
    gate_rows_kernel(const __grid_constant__ gate_rows_arguments a) {
  constexpr int values = vector_values<T>;
  const std::uint32_t begin = blockIdx.x * blockDim.x * gate_pieces + threadIdx.x;
  const T* from = static_cast<const T*>(a.gate_up) + std::size_t{blockIdx.y} * 2 * a.columns;
  T* to = static_cast<T*>(a.out) + std::size_t{blockIdx.y} * a.columns;
  wait_for_previous_kernel();
  uint4 gates[gate_pieces];
  uint4 ups[gate_pieces];
#pragma unroll
  for (int p = 0; p < gate_pieces; ++p) {
    const std::uint32_t c = (begin + blockDim.x * p) * values;
    if (c >= a.columns) continue;
    gates[p] = *reinterpret_cast<const uint4*>(from + c);
    ups[p] = *reinterpret_cast<const uint4*>(from + a.columns + c);
  }
#pragma unroll
  for (int p = 0; p < gate_pieces; ++p) {
    const std::uint32_t c = (begin + blockDim.x * p) * values;
    if (c >= a.columns) continue;
    float gate[values];
    float up[values];
    widen<T>(gates[p], gate);
    widen<T>(ups[p], up);
#pragma unroll
    for (int i = 0; i < values; ++i) gate[i] = __fdividef(gate[i], 1.0F + __expf(-gate[i])) * up[i];
    *reinterpret_cast<uint4*>(to + c) = narrow<T>(gate);
  }
}

}  // namespace assay::ops::cuda
