// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Attention of many tokens over the pages of one sequence, on tensor cores.
//
// A block takes 128 queries of one head, 16 a warp, and walks over the context 64 keys at a time.
// Scores never leave registers: those of a tile become the factor of the product with its values
// as they lie. The next tile is copied while this one is multiplied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/pipeline.cuh"
#include "runtime/ops/cuda/prefill_kernels.h"
#include "runtime/ops/cuda/tensor_core.cuh"

namespace assay::ops::cuda {

inline constexpr int query_rows = 128;  ///< of a block
inline constexpr int warp_rows = 16;    ///< of them, of a warp
inline constexpr int key_rows = 64;     ///< of a tile
inline constexpr int query_threads = 32 * query_rows / warp_rows;
template <int HeadDim>
inline constexpr int query_blocks_of_registers = HeadDim > 64 ? 1 : 2;

/// Rows of keys or values in shared memory. A row's 16-byte pieces are exchanged by its number, so
/// that eight rows of one column lie in different banks.
template <int HeadDim>
struct key_tile {
  static constexpr int pieces = HeadDim / 8;
  static constexpr std::uint32_t row_bytes = HeadDim * 2;
  static constexpr std::uint32_t bytes = key_rows * row_bytes;
  static constexpr int rows_a_turn = pieces >= 8 ? 1 : 8 / pieces;
  static constexpr int turns = pieces >= 8 ? 8 : pieces;

  __device__ static std::uint32_t offset(int row, int piece) {
    const int turned = piece ^ (row / rows_a_turn % turns);
    return static_cast<std::uint32_t>(row) * row_bytes + static_cast<std::uint32_t>(turned) * 16;
  }
  /// From the address of an even or odd piece to the same of pair `pair`: pieces are exchanged by
  /// an exclusive or, so that one register and an instruction do for all pairs. Tiles begin at
  /// multiples of 256.
  __device__ static std::uint32_t paired(std::uint32_t at, int pair) {
    return at ^ static_cast<std::uint32_t>(pair) * 32;
  }
};

/// Keys and values, two tiles each.
template <int HeadDim>
inline constexpr std::uint32_t attend_shared_bytes = 4 * key_tile<HeadDim>::bytes;

/// What a warp keeps: queries as the left factor, sums of 16 rows, and of its lane's two rows the
/// largest score and the sum of what was mixed.
template <int HeadDim>
struct query_warp {
  std::uint32_t q[HeadDim / 16][4];
  float mixed[HeadDim / 8][4];
  float maximum[2];
  float sum[2];
};

/// Where a token's rows lie. Pages of a power of two, as a runtime has them, cost no division: a
/// tile's copies would otherwise take a fourth of the instructions.
template <class T, int HeadDim>
struct cached_context {
  const T* pages;
  const std::uint32_t* table;
  std::uint32_t page_tokens, kv_heads, kv_head;
  int shift;  ///< of a power of two; below 0: none

  __device__ cached_context(const attend_rows_arguments& a, std::uint32_t head)
      : pages(static_cast<const T*>(a.pages)),
        table(a.table),
        page_tokens(a.page_tokens),
        kv_heads(a.kv_heads),
        kv_head(head),
        shift(-1) {
    if ((page_tokens & (page_tokens - 1)) == 0) shift = __popc(page_tokens - 1);
  }
  __device__ const T* key(std::uint32_t token) const {
    const std::uint32_t index = shift >= 0 ? token >> shift : token / page_tokens;
    const std::size_t head_rows = (std::size_t{table[index]} * kv_heads + kv_head) * 2;
    return pages + ((head_rows - index) * page_tokens + token) * HeadDim;
  }
  __device__ std::size_t value_distance() const { return std::size_t{page_tokens} * HeadDim; }
};

/// Copies tile `tile` of keys to `keys` and of values behind the two tiles of keys.
template <class T, int HeadDim>
__device__ __forceinline__ void copy_tile(const cached_context<T, HeadDim>& context,
                                          std::uint32_t tile, std::uint32_t end,
                                          std::uint32_t keys) {
  using layout = key_tile<HeadDim>;
#pragma unroll
  for (int i = static_cast<int>(threadIdx.x); i < key_rows * layout::pieces; i += query_threads) {
    const int row = i / layout::pieces;
    const int piece = i % layout::pieces;
    const std::uint32_t token = tile * key_rows + static_cast<std::uint32_t>(row);
    const bool is_there = token < end;
    // Token 0 where there is none: an address that may be formed.
    const T* key = context.key(is_there ? token : 0) + piece * 8;
    const std::uint32_t to = keys + layout::offset(row, piece);
    copy_or_zero(to, key, is_there);
    // Zero, not whatever lies there: a weight of 0 times no number is no number.
    copy_or_zero(to + 2 * layout::bytes, key + context.value_distance(), is_there);
  }
}

template <class T, int HeadDim>
__device__ __forceinline__ const T* query_row(const attend_rows_arguments& a, std::uint32_t head,
                                              std::uint32_t row) {
  const std::size_t row_values = std::size_t{a.heads + 2 * a.kv_heads} * HeadDim;
  return static_cast<const T*>(a.qkv) + row * row_values + head * HeadDim;
}

/// Rows past the last token take the last one again; what they give is not stored.
template <class T, int HeadDim>
__device__ __forceinline__ void load_queries(const attend_rows_arguments& a, std::uint32_t head,
                                             std::uint32_t row, std::uint32_t tokens,
                                             query_warp<HeadDim>& warp) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const T* from[2] = {query_row<T, HeadDim>(a, head, row < tokens ? row : tokens - 1),
                      query_row<T, HeadDim>(a, head, row + 8 < tokens ? row + 8 : tokens - 1)};
#pragma unroll
  for (int k = 0; k < HeadDim / 16; ++k)
#pragma unroll
    for (int part = 0; part < 4; ++part)
      warp.q[k][part] = *reinterpret_cast<const std::uint32_t*>(from[part % 2] + k * 16 +
                                                                part / 2 * 8 + lane % 4 * 2);
}

/// scores (16, 64) = queries · keysᵀ.
template <class T, int HeadDim>
__device__ __forceinline__ void score_tile(const query_warp<HeadDim>& warp, std::uint32_t keys,
                                           float (&scores)[key_rows / 8][4]) {
  using layout = key_tile<HeadDim>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t keys_at = keys + layout::offset(lane / 16 * 8 + lane % 8, lane / 8 % 2);
#pragma unroll
  for (int n = 0; n < key_rows / 8; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) scores[n][i] = 0.0F;
#pragma unroll
  for (int k = 0; k < HeadDim / 16; ++k)
#pragma unroll
    for (int n = 0; n < key_rows / 16; ++n) {
      std::uint32_t b[4];
      load_tiles(b, layout::paired(keys_at, k) + n * 16 * layout::row_bytes);
      multiply_tile<T>(scores[2 * n], warp.q[k], b[0], b[1]);
      multiply_tile<T>(scores[2 * n + 1], warp.q[k], b[2], b[3]);
    }
}

/// Scores of keys after a row's own position become minus infinity. `first_key` is the tile's,
/// `position` that of the lane's first row.
template <int Count>
__device__ __forceinline__ void hide_later_keys(std::uint32_t first_key, std::uint32_t position,
                                                float (&scores)[Count][4]) {
  const std::uint32_t pair = threadIdx.x % 4 * 2;
#pragma unroll
  for (int n = 0; n < Count; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t key = first_key + static_cast<std::uint32_t>(n) * 8 + pair + (i & 1);
      if (key > position + (i / 2) * 8) scores[n][i] = -INFINITY;
    }
}

/// Scores become weights 2^(scale · (score - maximum)); what was mixed before shrinks accordingly.
template <int HeadDim>
__device__ __forceinline__ void weigh_tile(float scale, float (&maxima)[2], float (&sums)[2],
                                           float (&mixed)[HeadDim / 8][4],
                                           float (&scores)[key_rows / 8][4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float maximum = maxima[half];
#pragma unroll
    for (int n = 0; n < key_rows / 8; ++n)
      maximum = fmaxf(maximum, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffU, maximum, 1));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffU, maximum, 2));
    // Key 0 is in the first tile and before every position: the maximum is a number from there on.
    const float shift = maximum * scale;
    const float shrink = power_of_two(maxima[half] * scale - shift);
    maxima[half] = maximum;
    float sum = sums[half] * shrink;
#pragma unroll
    for (int n = 0; n < key_rows / 8; ++n)
#pragma unroll
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        scores[n][i] = power_of_two(fmaf(scores[n][i], scale, -shift));
        sum += scores[n][i];
      }
    sums[half] = sum;
    // Seldom after the first tiles.
    if (!__any_sync(0xffffffffU, shrink != 1.0F)) continue;
#pragma unroll
    for (int d = 0; d < HeadDim / 8; ++d) {
      mixed[d][2 * half] *= shrink;
      mixed[d][2 * half + 1] *= shrink;
    }
  }
}

/// mixed (16, HeadDim) += weights (16, 64) · values.
template <class T, int HeadDim>
__device__ __forceinline__ void mix_tile(const float (&weights)[key_rows / 8][4],
                                         std::uint32_t values, query_warp<HeadDim>& warp) {
  using layout = key_tile<HeadDim>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t values_at = values + layout::offset(lane % 16, lane / 16);
#pragma unroll
  for (int k = 0; k < key_rows / 16; ++k) {
    std::uint32_t a[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      a[i] =
          packed_pair<T>(weights[2 * k + i / 2][i % 2 * 2], weights[2 * k + i / 2][i % 2 * 2 + 1]);
#pragma unroll
    for (int d = 0; d < HeadDim / 16; ++d) {
      std::uint32_t b[4];
      load_turned_tiles(b, layout::paired(values_at, d) + k * 16 * layout::row_bytes);
      multiply_tile<T>(warp.mixed[2 * d], a, b[0], b[1]);
      multiply_tile<T>(warp.mixed[2 * d + 1], a, b[2], b[3]);
    }
  }
}

template <class T, int HeadDim>
__device__ __forceinline__ void store_rows(const attend_rows_arguments& a, std::uint32_t head,
                                           std::uint32_t row, std::uint32_t tokens,
                                           const float (&sums)[2],
                                           const float (&mixed)[HeadDim / 8][4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float sum = sums[half];
    sum += __shfl_xor_sync(0xffffffffU, sum, 1);
    sum += __shfl_xor_sync(0xffffffffU, sum, 2);
    const std::uint32_t at = row + static_cast<std::uint32_t>(half) * 8;
    if (at >= tokens) continue;
    const float share = 1.0F / sum;
    T* to =
        static_cast<T*>(a.out) + (std::size_t{at} * a.heads + head) * HeadDim + threadIdx.x % 4 * 2;
#pragma unroll
    for (int d = 0; d < HeadDim / 8; ++d)
      *reinterpret_cast<std::uint32_t*>(to + d * 8) =
          packed_pair<T>(mixed[d][2 * half] * share, mixed[d][2 * half + 1] * share);
  }
}

/// Grid: (heads, blocks of 128 tokens); those with the longest context first, so that the last
/// blocks to run are short.
template <class T, int HeadDim>
__global__ void __launch_bounds__(query_threads, query_blocks_of_registers<HeadDim>)
    attend_rows_kernel(const __grid_constant__ attend_rows_arguments a, std::uint32_t first,
                       std::uint32_t tokens) {
  using layout = key_tile<HeadDim>;
  extern __shared__ __align__(1024) std::byte raw_tiles[];
  const std::uint32_t tiles_at = shared_address(raw_tiles);
  const std::uint32_t head = blockIdx.x;
  const std::uint32_t block_row = (gridDim.y - 1 - blockIdx.y) * query_rows;
  const std::uint32_t warp_row = block_row + threadIdx.x / 32 * warp_rows;
  const std::uint32_t row = warp_row + threadIdx.x % 32 / 4;
  const std::uint32_t block_end = block_row + query_rows < tokens ? block_row + query_rows : tokens;
  const std::uint32_t tiles = (first + block_end - 1) / key_rows + 1;
  const float scale = rsqrtf(static_cast<float>(HeadDim)) * 1.44269504088896340736F;

  const cached_context<T, HeadDim> context(a, head / (a.heads / a.kv_heads));
  query_warp<HeadDim> warp{};
  wait_for_previous_kernel();
  copy_tile<T, HeadDim>(context, 0, first + tokens, tiles_at);
  close_copies();
  warp.maximum[0] = warp.maximum[1] = -INFINITY;
  load_queries<T, HeadDim>(a, head, row, tokens, warp);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    const std::uint32_t keys = tiles_at + tile % 2 * layout::bytes;
    wait_for_copies<0>();
    __syncthreads();  // the tile is there, and nobody reads the other one any more
    if (tile + 1 < tiles)
      copy_tile<T, HeadDim>(context, tile + 1, first + tokens,
                            tiles_at + (tile + 1) % 2 * layout::bytes);
    close_copies();
    const std::uint32_t first_key = tile * key_rows;
    if (first_key > first + warp_row + warp_rows - 1) continue;  // after all of its queries
    float scores[key_rows / 8][4];
    score_tile<T>(warp, keys, scores);
    if (first_key + key_rows - 1 > first + warp_row)
      hide_later_keys(first_key, first + row, scores);
    weigh_tile<HeadDim>(scale, warp.maximum, warp.sum, warp.mixed, scores);
    mix_tile<T>(scores, keys + 2 * layout::bytes, warp);
  }
  store_rows<T, HeadDim>(a, head, row, tokens, warp.sum, warp.mixed);
}

}  // namespace assay::ops::cuda
