// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One token's attention on tensor cores, for 2-byte caches. A left factor has 16 rows and a KV head
// fewer queries: row g is query head g rounded to the element, row g + 8 what the rounding left.
// Their results add up to those of an f32 query; the same goes for the weights of the mix. The
// tensor cores' other half, which would have been zero, pays for f32's precision.
//
// A warp takes 16 cached tokens at a time from memory straight into registers. The order of a sum's
// terms is free, so a lane takes 8 neighbouring columns of a row with one load and calls them the
// columns that the fragment wants.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/paged_attention.cuh"
#include "runtime/ops/cuda/tensor_core.cuh"

namespace assay::ops::cuda {

inline constexpr int tensor_warps = 4;
inline constexpr int tensor_threads = 32 * tensor_warps;
inline constexpr std::uint32_t warp_tokens = 16;  ///< that a warp scores at once
/// Up to here a block has the context to itself: 8 turns of its warps.
inline constexpr std::uint32_t alone_tokens = 512;

template <class T, int HeadDim, int Heads>
struct tensor_memory {
  static_assert(Heads <= 8);
  float cosines[HeadDim / 2];
  float sines[HeadDim / 2];
  T q[2][Heads][HeadDim];  ///< rounded, then what the rounding left
  float new_score[Heads];
  float new_value[HeadDim];
  float warp_maximum[tensor_warps][Heads];
  float warp_sum[tensor_warps][Heads];
  float warp_mixed[tensor_warps][Heads][HeadDim];
  float maximum[Heads];
  float sum[Heads];
  float mixed[Heads][HeadDim];
};

/// 16 cached rows as a lane with group g and pair t holds them. Keys: rows g and g + 8, columns
/// 8t … 8t + 7 of each 32. Values: rows t, t + 1, t + 8, t + 9, columns 8g … 8g + 7 of each 64.
template <int HeadDim>
struct cached_rows {
  uint4 keys[HeadDim / 32][2];
  uint4 values[HeadDim / 64][4];
};

/// First token of a warp's turn.
__device__ __forceinline__ std::uint32_t turn_token(const attention_place& at, std::uint32_t turn) {
  return ((turn * at.ranks + at.rank) * tensor_warps + threadIdx.x / 32) * warp_tokens;
}

/// The cached rows of a turn. It lies in one page where pages are multiples of it: then its place
/// is looked up once.
template <class T, int HeadDim>
struct turn_rows {
  const attention_arguments& a;
  std::uint32_t kv_head, position, first;
  const T* base;

  __device__ turn_rows(const attention_arguments& arguments, const attention_place& at,
                       std::uint32_t token)
      : a(arguments), kv_head(at.kv_head), position(at.position), first(token), base(nullptr) {
    if (a.page_tokens % warp_tokens == 0 && first < position) base = key_of(first);
  }
  __device__ const T* key_of(std::uint32_t token) const {
    const std::size_t page = a.table[token / a.page_tokens];
    const std::size_t head_rows = (page * a.kv_heads + kv_head) * 2 * a.page_tokens;
    return static_cast<const T*>(a.pages) + (head_rows + token % a.page_tokens) * HeadDim;
  }
  __device__ uint4 load(std::uint32_t row, std::uint32_t column, int which) const {
    if (first + row >= position) return uint4{0, 0, 0, 0};
    const T* from = base != nullptr ? base + row * HeadDim : key_of(first + row);
    return __ldcg(reinterpret_cast<const uint4*>(
        from + static_cast<std::size_t>(which) * a.page_tokens * HeadDim + column));
  }
};

template <class T, int HeadDim>
__device__ __forceinline__ void fetch_keys(const turn_rows<T, HeadDim>& from,
                                           uint4 (&keys)[HeadDim / 32][2]) {
  const std::uint32_t lane = threadIdx.x % 32;
#pragma unroll
  for (int c = 0; c < HeadDim / 32; ++c)
#pragma unroll
    for (int i = 0; i < 2; ++i) keys[c][i] = from.load(lane / 4 + i * 8, c * 32 + lane % 4 * 8, 0);
}

template <class T, int HeadDim>
__device__ __forceinline__ void fetch_values(const turn_rows<T, HeadDim>& from,
                                             uint4 (&values)[HeadDim / 64][4]) {
  const std::uint32_t lane = threadIdx.x % 32;
#pragma unroll
  for (int c = 0; c < HeadDim / 64; ++c)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      values[c][i] = from.load(lane % 4 * 2 + i / 2 * 8 + i % 2, c * 64 + lane / 4 * 8, 1);
}

/// What a warp keeps: of head g, the largest score, this lane's part of the sum, and the mix; its
/// tile (c, j) holds columns 64c + 16t + j and 64c + 16t + 8 + j.
template <int HeadDim>
struct tensor_state {
  float maximum = -INFINITY;
  float sum = 0.0F;
  float mixed[HeadDim / 8][4] = {};
};

/// weights[n][e]: score of head g and token 8n + t + e, in powers of two; minus infinity past the
/// last cached token.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void score_turn(const tensor_memory<T, HeadDim, Heads>& memory,
                                           const attention_place& at, std::uint32_t first,
                                           const uint4 (&keys)[HeadDim / 32][2],
                                           float (&scores)[2][2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int head = lane / 4 < Heads ? lane / 4 : Heads - 1;  // rows without a head are not used
  float sums[2][2][4] = {};  // tokens, even and odd steps: two chains of additions
#pragma unroll
  for (int c = 0; c < HeadDim / 32; ++c) {
    const int column = c * 32 + lane % 4 * 8;
    const uint4 high = *reinterpret_cast<const uint4*>(&memory.q[0][head][column]);
    const uint4 low = *reinterpret_cast<const uint4*>(&memory.q[1][head][column]);
    const std::uint32_t even[4] = {high.x, low.x, high.y, low.y};
    const std::uint32_t odd[4] = {high.z, low.z, high.w, low.w};
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      multiply_tile<T>(sums[n][0], even, keys[c][n].x, keys[c][n].y);
      multiply_tile<T>(sums[n][1], odd, keys[c][n].z, keys[c][n].w);
    }
  }
#pragma unroll
  for (int n = 0; n < 2; ++n)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const std::uint32_t token = first + n * 8 + lane % 4 * 2 + e;
      scores[n][e] = (sums[n][0][e] + sums[n][1][e]) + (sums[n][0][2 + e] + sums[n][1][2 + e]);
      if (token >= at.position) scores[n][e] = -INFINITY;
    }
}

/// Two values and, behind them, what rounding them to T leaves.
template <class T>
__device__ __forceinline__ void split_pair(float first, float second, std::uint32_t& rounded,
                                           std::uint32_t& rest) {
  const float first_kept = widened(narrowed<T>(first));
  const float second_kept = widened(narrowed<T>(second));
  rounded = packed_pair<T>(first_kept, second_kept);
  rest = packed_pair<T>(first - first_kept, second - second_kept);
}

/// A turn has a cached token: the largest score is a number.
template <class T, int HeadDim>
__device__ __forceinline__ void weigh_turn(tensor_state<HeadDim>& s, const float (&scores)[2][2],
                                           std::uint32_t (&weights)[4]) {
  float maximum = fmaxf(fmaxf(scores[0][0], scores[0][1]), fmaxf(scores[1][0], scores[1][1]));
  maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffU, maximum, 1));
  maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffU, maximum, 2));
  maximum = fmaxf(maximum, s.maximum);
  const float shrink = power_of_two(s.maximum - maximum);
  s.maximum = maximum;
  float parts[2][2];
#pragma unroll
  for (int n = 0; n < 2; ++n)
#pragma unroll
    for (int e = 0; e < 2; ++e) parts[n][e] = power_of_two(scores[n][e] - maximum);
  s.sum = s.sum * shrink + (parts[0][0] + parts[0][1]) + (parts[1][0] + parts[1][1]);
  split_pair<T>(parts[0][0], parts[0][1], weights[0], weights[1]);
  split_pair<T>(parts[1][0], parts[1][1], weights[2], weights[3]);
  if (!__any_sync(0xffffffffU, shrink != 1.0F)) return;
#pragma unroll
  for (int d = 0; d < HeadDim / 8; ++d)
#pragma unroll
    for (int i = 0; i < 4; ++i) s.mixed[d][i] *= shrink;
}

__device__ __forceinline__ std::uint32_t word_of(const uint4& packed, int word) {
  return word == 0 ? packed.x : word == 1 ? packed.y : word == 2 ? packed.z : packed.w;
}

template <class T, int HeadDim>
__device__ __forceinline__ void mix_turn(tensor_state<HeadDim>& s,
                                         const std::uint32_t (&weights)[4],
                                         const uint4 (&values)[HeadDim / 64][4]) {
#pragma unroll
  for (int c = 0; c < HeadDim / 64; ++c)
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      // Column j of two rows, side by side.
      const unsigned pick = j % 2 == 0 ? 0x5410U : 0x7632U;
      const std::uint32_t b0 =
          __byte_perm(word_of(values[c][0], j / 2), word_of(values[c][1], j / 2), pick);
      const std::uint32_t b1 =
          __byte_perm(word_of(values[c][2], j / 2), word_of(values[c][3], j / 2), pick);
      multiply_tile<T>(s.mixed[c * 8 + j], weights, b0, b1);
    }
}

/// The new token: its rows into the cache, queries and its own score and value into shared memory.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void take_new_token(const attention_arguments& a,
                                               const attention_place& at,
                                               tensor_memory<T, HeadDim, Heads>& memory) {
  using team = attention_team<T, HeadDim>;
  static_assert(tensor_threads / team::lanes >= Heads);
  const std::uint32_t mine = threadIdx.x / team::lanes;
  const float scale = rsqrtf(static_cast<float>(HeadDim)) * 1.44269504088896340736F;
  fresh_rows<T> fresh;
  load_fresh<T, HeadDim>(a, at, fresh);
  norm_and_rotate<T, HeadDim>(fresh.q, static_cast<const T*>(a.q_gain), a.eps, memory.cosines,
                              memory.sines, at.lane_column);
  norm_and_rotate<T, HeadDim>(fresh.k, static_cast<const T*>(a.k_gain), a.eps, memory.cosines,
                              memory.sines, at.lane_column);
  const uint4 key = narrow<T>(fresh.k);
  const uint4 value = narrow<T>(fresh.v);
  float kept[team::values];
  widen<T>(key, kept);
  float dot = 0.0F;
#pragma unroll
  for (int v = 0; v < team::values; ++v) {
    fresh.q[v] *= scale;
    dot = fmaf(fresh.q[v], kept[v], dot);
  }
  dot = team_sum<team::lanes>(dot);
  if (mine < Heads) {
    float rest[team::values];
#pragma unroll
    for (int v = 0; v < team::values; ++v) rest[v] = fresh.q[v] - widened(narrowed<T>(fresh.q[v]));
    *reinterpret_cast<uint4*>(&memory.q[0][mine][at.lane_column]) = narrow<T>(fresh.q);
    *reinterpret_cast<uint4*>(&memory.q[1][mine][at.lane_column]) = narrow<T>(rest);
    if (at.lane_column == 0) memory.new_score[mine] = dot;
  }
  if (mine != 0) return;
  widen<T>(value, kept);
#pragma unroll
  for (int v = 0; v < team::values; ++v) memory.new_value[at.lane_column + v] = kept[v];
  // Once a KV head, by the block of its first query heads.
  if (at.rank != 0 || at.first_head != at.kv_head * (a.heads / a.kv_heads)) return;
  T* to = row_of<T, HeadDim>(a, at, at.position);
  *reinterpret_cast<uint4*>(to) = key;
  *reinterpret_cast<uint4*>(to + a.page_tokens * HeadDim) = value;
}

/// One warp of the cluster begins with the new token.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void begin_with_new_token(const attention_place& at,
                                                     const tensor_memory<T, HeadDim, Heads>& memory,
                                                     tensor_state<HeadDim>& s) {
  if (at.rank != 0 || threadIdx.x >= 32) return;
  const int lane = static_cast<int>(threadIdx.x);
  s.maximum = memory.new_score[lane / 4 < Heads ? lane / 4 : Heads - 1];
  s.sum = lane % 4 == 0 ? 1.0F : 0.0F;
#pragma unroll
  for (int d = 0; d < HeadDim / 8; ++d)
#pragma unroll
    for (int i = 0; i < 2; ++i)
      s.mixed[d][i] = memory.new_value[d / 8 * 64 + lane % 4 * 16 + i * 8 + d % 8];
}

template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void keep_warp(const tensor_state<HeadDim>& s,
                                          tensor_memory<T, HeadDim, Heads>& memory) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int head = lane / 4;
  float sum = s.sum;
  sum += __shfl_xor_sync(0xffffffffU, sum, 1);
  sum += __shfl_xor_sync(0xffffffffU, sum, 2);
  if (head >= Heads) return;
  if (lane % 4 == 0) {
    memory.warp_maximum[warp][head] = s.maximum;
    memory.warp_sum[warp][head] = sum;
  }
#pragma unroll
  for (int d = 0; d < HeadDim / 8; d += 4)
#pragma unroll
    for (int i = 0; i < 2; ++i)
      *reinterpret_cast<float4*>(
          &memory.warp_mixed[warp][head][d / 8 * 64 + lane % 4 * 16 + i * 8 + d % 8]) = float4{
          s.mixed[d][i] + s.mixed[d][2 + i], s.mixed[d + 1][i] + s.mixed[d + 1][2 + i],
          s.mixed[d + 2][i] + s.mixed[d + 2][2 + i], s.mixed[d + 3][i] + s.mixed[d + 3][2 + i]};
}

/// Adds up the block's warps: the result where the block is alone, else what the cluster adds up.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void merge_warps(const attention_arguments& a, const attention_place& at,
                                            tensor_memory<T, HeadDim, Heads>& memory) {
  for (std::uint32_t i = threadIdx.x; i < at.head_count * HeadDim; i += tensor_threads) {
    const std::uint32_t h = i / HeadDim;
    const std::uint32_t d = i % HeadDim;
    float maximum = memory.warp_maximum[0][h];
#pragma unroll
    for (int w = 1; w < tensor_warps; ++w) maximum = fmaxf(maximum, memory.warp_maximum[w][h]);
    const float shift = maximum == -INFINITY ? 0.0F : maximum;
    float sum = 0.0F;
    float mixed = 0.0F;
#pragma unroll
    for (int w = 0; w < tensor_warps; ++w) {
      const float share = power_of_two(memory.warp_maximum[w][h] - shift);
      sum += share * memory.warp_sum[w][h];
      mixed += share * memory.warp_mixed[w][h][d];
    }
    if (at.ranks == 1) {
      a.out[at.first_head * HeadDim + i] = mixed / sum;
      continue;
    }
    memory.mixed[h][d] = mixed;
    if (d != 0) continue;
    memory.maximum[h] = maximum;
    memory.sum[h] = sum;
  }
}

/// Grid: (blocks of a cluster, KV heads · parts of their query heads); a cluster is one row of it.
template <class T, int HeadDim, int Heads>
__global__ void __launch_bounds__(tensor_threads, 1)
    tensor_attention(const __grid_constant__ attention_arguments a) {
  using team = attention_team<T, HeadDim>;
  extern __shared__ __align__(16) std::byte raw_memory[];
  auto& memory = *reinterpret_cast<tensor_memory<T, HeadDim, Heads>*>(raw_memory);
  allow_next_kernel();
  attention_place at = place_of<Heads>(a, threadIdx.x % team::lanes * team::values);
  if (at.position < alone_tokens) at.ranks = 1;
  if (at.rank >= at.ranks) return;  // a barrier of the cluster waits for those that have not left
  const auto rows = [&](std::uint32_t turn) {
    return turn_rows<T, HeadDim>(a, at, turn_token(at, turn));
  };
  cached_rows<HeadDim> now;
  cached_rows<HeadDim> next;
  fetch_keys(rows(0), now.keys);
  fetch_values(rows(0), now.values);
  fetch_keys(rows(1), next.keys);
  fetch_values(rows(1), next.values);
  if (threadIdx.x < HeadDim / 2)
    sincosf(static_cast<float>(at.position) * a.frequencies[threadIdx.x],
            &memory.sines[threadIdx.x], &memory.cosines[threadIdx.x]);
  __syncthreads();
  wait_for_previous_kernel();

  take_new_token(a, at, memory);
  __syncthreads();
  tensor_state<HeadDim> s;
  begin_with_new_token(at, memory, s);
  for (std::uint32_t turn = 0; turn_token(at, turn) < at.position; ++turn) {
    const turn_rows<T, HeadDim> after = rows(turn + 2);
    float scores[2][2];
    score_turn(memory, at, turn_token(at, turn), now.keys, scores);
#pragma unroll
    for (int c = 0; c < HeadDim / 32; ++c)
#pragma unroll
      for (int i = 0; i < 2; ++i) now.keys[c][i] = next.keys[c][i];
    fetch_keys(after, next.keys);
    std::uint32_t weights[4];
    weigh_turn<T>(s, scores, weights);
    mix_turn<T>(s, weights, now.values);
#pragma unroll
    for (int c = 0; c < HeadDim / 64; ++c)
#pragma unroll
      for (int i = 0; i < 4; ++i) now.values[c][i] = next.values[c][i];
    fetch_values(after, next.values);
  }
  keep_warp(s, memory);
  __syncthreads();
  merge_warps(a, at, memory);
  if (at.ranks == 1) return;
  cooperative_groups::this_cluster().sync();
  merge_cluster<HeadDim>(a, at, memory);
  cooperative_groups::this_cluster().sync();  // nobody leaves while others read its memory
}

}  // namespace assay::ops::cuda
