// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One token's attention over the pages of one sequence. The blocks of a cluster share a KV head's
// context and add up what they found through each other's shared memory: no second kernel, no
// atomics, and the same order of additions every time.
//
// Rows that earlier steps cached are fetched before the kernel ahead has ended; only the new
// token's query, key and value wait for it.
#pragma once

#include <cooperative_groups.h>
#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/decode_kernels.h"
#include "runtime/ops/cuda/pipeline.cuh"
#include "runtime/ops/cuda/vector_types.cuh"

namespace assay::ops::cuda {

inline constexpr int attention_threads = 256;
inline constexpr std::uint32_t most_ranks = 16;  ///< blocks of a cluster
/// A block takes this many tokens before a second one helps: adding up two blocks' results costs
/// more than attending to so few.
inline constexpr std::uint32_t tokens_a_block = 256;
inline constexpr int batch_tokens = 4;  ///< tokens a team scores before it looks at their maximum

/// A team of lanes holds one head's row, 16 bytes a lane.
template <class T, int HeadDim>
struct attention_team {
  static constexpr int values = vector_values<T>;
  static constexpr int lanes = HeadDim / values;
  static constexpr int in_warp = 32 / lanes;
  static constexpr int in_block = attention_threads / lanes;
  static constexpr int warps = attention_threads / 32;
  static_assert(lanes >= 2 && lanes <= 32);
};

/// Queries; partial results of a block's warps, then of the block: others of the cluster read
/// those. Small enough that two rings of weights fit beside it: a projection that found no room on
/// this multiprocessor would double up on another and run at half its speed.
template <class T, int HeadDim, int Heads>
struct attention_memory {
  using team = attention_team<T, HeadDim>;
  float cosines[HeadDim / 2];
  float sines[HeadDim / 2];
  float q[Heads][HeadDim];
  float warp_maximum[team::warps][Heads];
  float warp_sum[team::warps][Heads];
  float warp_mixed[team::warps][Heads][HeadDim];
  float maximum[Heads];
  float sum[Heads];
  float mixed[Heads][HeadDim];
};

/// What a thread keeps between two batches of tokens.
template <class T, int HeadDim, int Heads>
struct attention_state {
  static constexpr int values = vector_values<T>;
  float maximum[Heads];
  float sum[Heads];
  float mixed[Heads][values];
  uint4 keys[batch_tokens];
  uint4 next_keys[batch_tokens];
  uint4 rows[batch_tokens];  ///< values, in the sense of attention
};

template <int Lanes>
__device__ __forceinline__ float team_sum(float value) {
#pragma unroll
  for (int offset = Lanes / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  return value;
}

/// Where a thread stands in the cluster, and what it attends to.
struct attention_place {
  std::uint32_t kv_head, first_head, head_count;  ///< query heads that this block takes
  std::uint32_t rank, ranks;  ///< within the cluster, of those blocks that have work
  std::uint32_t lane_column;  ///< first of the lane's columns in a row
  std::uint32_t position;
};

template <class T, int HeadDim>
__device__ __forceinline__ T* row_of(const attention_arguments& a, const attention_place& at,
                                     std::uint32_t token) {
  const std::size_t page = a.table[token / a.page_tokens];
  const std::size_t head_rows = (page * a.kv_heads + at.kv_head) * 2 * a.page_tokens;
  return static_cast<T*>(a.pages) + (head_rows + token % a.page_tokens) * HeadDim + at.lane_column;
}

/// Token `slot` of batch `batch` for this thread's team: neighbouring teams take neighbouring rows.
template <class Team>
__device__ __forceinline__ std::uint32_t token_of(const attention_place& at, std::uint32_t batch,
                                                  int slot) {
  const std::uint32_t team = threadIdx.x / Team::lanes;
  return ((batch * batch_tokens + slot) * at.ranks + at.rank) * Team::in_block + team;
}

/// Fetches the cached keys (0) or values (1) of a batch. The newest token is not cached yet.
template <class T, int HeadDim>
__device__ __forceinline__ void fetch(const attention_arguments& a, const attention_place& at,
                                      std::uint32_t batch, int which, uint4 (&to)[batch_tokens]) {
#pragma unroll
  for (int slot = 0; slot < batch_tokens; ++slot) {
    const std::uint32_t token = token_of<attention_team<T, HeadDim>>(at, batch, slot);
    to[slot] = uint4{0, 0, 0, 0};
    if (token < at.position)
      to[slot] = __ldcg(reinterpret_cast<const uint4*>(row_of<T, HeadDim>(a, at, token) +
                                                       which * a.page_tokens * HeadDim));
  }
}

/// Norm of one head where there is a gain, then its rotation: element i against i + head_dim / 2.
template <class T, int HeadDim>
__device__ __forceinline__ void norm_and_rotate(float (&row)[vector_values<T>], const T* gain,
                                                float eps, const float* cosines, const float* sines,
                                                std::uint32_t lane_column) {
  using team = attention_team<T, HeadDim>;
  if (gain != nullptr) {
    float squares = 0.0F;
#pragma unroll
    for (int v = 0; v < team::values; ++v) squares += row[v] * row[v];
    const float scale = rsqrtf(team_sum<team::lanes>(squares) / HeadDim + eps);
    float factors[team::values];
    widen<T>(*reinterpret_cast<const uint4*>(gain + lane_column), factors);
#pragma unroll
    for (int v = 0; v < team::values; ++v) row[v] *= scale * factors[v];
  }
  const bool is_upper = lane_column >= HeadDim / 2;
  const std::uint32_t angle = is_upper ? lane_column - HeadDim / 2 : lane_column;
#pragma unroll
  for (int v = 0; v < team::values; ++v) {
    const float other = __shfl_xor_sync(0xffffffffU, row[v], team::lanes / 2);
    const float turned = other * sines[angle + v];
    row[v] = row[v] * cosines[angle + v] + (is_upper ? turned : -turned);
  }
}

/// What the projection before has just written, this lane's columns of it: the query of this team's
/// head, the new key and the new value. Three loads that wait together.
template <class T>
struct fresh_rows {
  float q[vector_values<T>];
  float k[vector_values<T>];
  float v[vector_values<T>];
};

template <class T, int HeadDim>
__device__ __forceinline__ void load_fresh(const attention_arguments& a, const attention_place& at,
                                           fresh_rows<T>& fresh) {
  // Teams beyond the block's heads take the first one again: what they hold is not used.
  const std::uint32_t mine = threadIdx.x / attention_team<T, HeadDim>::lanes;
  const std::uint32_t head = at.first_head + (mine < at.head_count ? mine : 0);
  const float* k = a.qkv + (a.heads + at.kv_head) * HeadDim + at.lane_column;
  load_activations(a.qkv + head * HeadDim + at.lane_column, fresh.q);
  load_activations(k, fresh.k);
  load_activations(k + a.kv_heads * HeadDim, fresh.v);
}

/// The new token's key and value, as the cache keeps them. The team whose token it is appends them,
/// in the block that takes the KV head's first query heads.
template <class T, int HeadDim>
__device__ __forceinline__ void new_token(const attention_arguments& a, const attention_place& at,
                                          const float* cosines, const float* sines,
                                          fresh_rows<T>& fresh, uint4& key, uint4& value) {
  norm_and_rotate<T, HeadDim>(fresh.k, static_cast<const T*>(a.k_gain), a.eps, cosines, sines,
                              at.lane_column);
  key = narrow<T>(fresh.k);
  value = narrow<T>(fresh.v);
  using team = attention_team<T, HeadDim>;
  const std::uint32_t turn = at.position / team::in_block;
  const bool is_mine =
      at.position % team::in_block == threadIdx.x / team::lanes && turn % at.ranks == at.rank;
  if (!is_mine || at.first_head != at.kv_head * (a.heads / a.kv_heads)) return;
  T* to = row_of<T, HeadDim>(a, at, at.position);
  *reinterpret_cast<uint4*>(to) = key;
  *reinterpret_cast<uint4*>(to + a.page_tokens * HeadDim) = value;
}

/// Scores of a batch. A token past the newest scores minus infinity.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void score(const attention_memory<T, HeadDim, Heads>& memory,
                                      const attention_place& at, std::uint32_t batch,
                                      const uint4& new_key, const uint4 (&keys)[batch_tokens],
                                      float (&scores)[batch_tokens][Heads]) {
  using team = attention_team<T, HeadDim>;
  float key[batch_tokens][team::values];
#pragma unroll
  for (int slot = 0; slot < batch_tokens; ++slot)
    widen<T>(token_of<team>(at, batch, slot) == at.position ? new_key : keys[slot], key[slot]);
#pragma unroll
  for (int h = 0; h < Heads; ++h) {
    float q[team::values];
#pragma unroll
    for (int v = 0; v < team::values; v += 4) {
      const float4 four = *reinterpret_cast<const float4*>(&memory.q[h][at.lane_column + v]);
      q[v] = four.x;
      q[v + 1] = four.y;
      q[v + 2] = four.z;
      q[v + 3] = four.w;
    }
#pragma unroll
    for (int slot = 0; slot < batch_tokens; ++slot) {
      float dot = 0.0F;
#pragma unroll
      for (int v = 0; v < team::values; ++v) dot = fmaf(q[v], key[slot][v], dot);
      dot = team_sum<team::lanes>(dot);
      scores[slot][h] = token_of<team>(at, batch, slot) <= at.position ? dot : -INFINITY;
    }
  }
}

/// Scores a batch, mixes its values in, and fetches what the next but one needs.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void attend(const attention_arguments& a, const attention_place& at,
                                       const attention_memory<T, HeadDim, Heads>& memory,
                                       std::uint32_t batch, const uint4& new_key,
                                       const uint4& new_value,
                                       attention_state<T, HeadDim, Heads>& s) {
  using team = attention_team<T, HeadDim>;
  float scores[batch_tokens][Heads];
  score(memory, at, batch, new_key, s.keys, scores);
#pragma unroll
  for (int slot = 0; slot < batch_tokens; ++slot) s.keys[slot] = s.next_keys[slot];
  fetch<T, HeadDim>(a, at, batch + 2, 0, s.next_keys);
#pragma unroll
  for (int h = 0; h < Heads; ++h) {
    float maximum = s.maximum[h];
#pragma unroll
    for (int slot = 0; slot < batch_tokens; ++slot) maximum = fmaxf(maximum, scores[slot][h]);
    // A team that has no token yet keeps minus infinity, and subtracts something else.
    const float shift = maximum == -INFINITY ? 0.0F : maximum;
    const float shrink = exp2f(s.maximum[h] - shift);
    s.maximum[h] = maximum;
    s.sum[h] *= shrink;
#pragma unroll
    for (int v = 0; v < team::values; ++v) s.mixed[h][v] *= shrink;
#pragma unroll
    for (int slot = 0; slot < batch_tokens; ++slot) {
      scores[slot][h] = exp2f(scores[slot][h] - shift);
      s.sum[h] += scores[slot][h];
    }
  }
#pragma unroll
  for (int slot = 0; slot < batch_tokens; ++slot) {
    const bool is_new = token_of<team>(at, batch, slot) == at.position;
    float row[team::values];
    widen<T>(is_new ? new_value : s.rows[slot], row);
#pragma unroll
    for (int h = 0; h < Heads; ++h)
#pragma unroll
      for (int v = 0; v < team::values; ++v)
        s.mixed[h][v] = fmaf(scores[slot][h], row[v], s.mixed[h][v]);
  }
  fetch<T, HeadDim>(a, at, batch + 1, 1, s.rows);
}

/// Queries of this block's heads, normed, rotated, and scaled so that e^x becomes 2^x: a head each
/// team, as long as there are teams.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void keep_queries(const attention_arguments& a,
                                             const attention_place& at, fresh_rows<T>& fresh,
                                             attention_memory<T, HeadDim, Heads>& memory) {
  using team = attention_team<T, HeadDim>;
  static_assert(team::in_block >= Heads);
  const float scale = rsqrtf(static_cast<float>(HeadDim)) * 1.44269504088896340736F;
  const int mine = static_cast<int>(threadIdx.x) / team::lanes;
  // Whole warps, because their lanes shuffle together.
  if (static_cast<int>(threadIdx.x) / 32 * team::in_warp >= Heads) return;
  norm_and_rotate<T, HeadDim>(fresh.q, static_cast<const T*>(a.q_gain), a.eps, memory.cosines,
                              memory.sines, at.lane_column);
  if (mine >= Heads) return;
#pragma unroll
  for (int v = 0; v < team::values; ++v) memory.q[mine][at.lane_column + v] = fresh.q[v] * scale;
}

/// Adds up the teams of a warp: each ends with the same sums.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void merge_warp(attention_state<T, HeadDim, Heads>& s) {
  using team = attention_team<T, HeadDim>;
#pragma unroll
  for (int offset = team::lanes; offset < 32; offset *= 2) {
#pragma unroll
    for (int h = 0; h < Heads; ++h) {
      const float other = __shfl_xor_sync(0xffffffffU, s.maximum[h], offset);
      const float maximum = fmaxf(s.maximum[h], other);
      const float shift = maximum == -INFINITY ? 0.0F : maximum;
      const float share = exp2f(s.maximum[h] - shift);
      const float other_share = exp2f(other - shift);
      s.maximum[h] = maximum;
      s.sum[h] = s.sum[h] * share + __shfl_xor_sync(0xffffffffU, s.sum[h], offset) * other_share;
#pragma unroll
      for (int v = 0; v < team::values; ++v)
        s.mixed[h][v] = s.mixed[h][v] * share +
                        __shfl_xor_sync(0xffffffffU, s.mixed[h][v], offset) * other_share;
    }
  }
}

/// Adds up the block's warps into maximum, sum and mixed.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void merge_block(attention_memory<T, HeadDim, Heads>& memory) {
  using team = attention_team<T, HeadDim>;
  for (int i = static_cast<int>(threadIdx.x); i < Heads * HeadDim; i += attention_threads) {
    const int h = i / HeadDim;
    const int d = i % HeadDim;
    float maximum = -INFINITY;
    for (int w = 0; w < team::warps; ++w) maximum = fmaxf(maximum, memory.warp_maximum[w][h]);
    const float shift = maximum == -INFINITY ? 0.0F : maximum;
    float sum = 0.0F;
    float mixed = 0.0F;
    for (int w = 0; w < team::warps; ++w) {
      const float share = exp2f(memory.warp_maximum[w][h] - shift);
      sum += share * memory.warp_sum[w][h];
      mixed += share * memory.warp_mixed[w][h][d];
    }
    memory.mixed[h][d] = mixed;
    if (d == 0) {
      memory.maximum[h] = maximum;
      memory.sum[h] = sum;
    }
  }
}

/// Adds up the cluster's blocks; each block writes its own slice of the heads' outputs.
template <int HeadDim, class Memory>
__device__ __forceinline__ void merge_cluster(const attention_arguments& a,
                                              const attention_place& at, Memory& memory) {
  namespace cg = cooperative_groups;
  const cg::cluster_group cluster = cg::this_cluster();
  const std::uint32_t all = at.head_count * HeadDim;
  for (std::uint32_t i = at.rank * blockDim.x + threadIdx.x; i < all; i += at.ranks * blockDim.x) {
    const std::uint32_t h = i / HeadDim;
    // All loads before the first use: each goes to another multiprocessor and back.
    float maxima[most_ranks];
    float sums[most_ranks];
    float values[most_ranks];
    float maximum = -INFINITY;
#pragma unroll
    for (std::uint32_t r = 0; r < most_ranks; ++r) {
      maxima[r] = -INFINITY;
      sums[r] = values[r] = 0.0F;
      if (r >= at.ranks) continue;
      maxima[r] = cluster.map_shared_rank(memory.maximum, r)[h];
      sums[r] = cluster.map_shared_rank(memory.sum, r)[h];
      values[r] = cluster.map_shared_rank(&memory.mixed[0][0], r)[i];
    }
#pragma unroll
    for (std::uint32_t r = 0; r < most_ranks; ++r) maximum = fmaxf(maximum, maxima[r]);
    float sum = 0.0F;
    float mixed = 0.0F;
#pragma unroll
    for (std::uint32_t r = 0; r < most_ranks; ++r) {
      const float share = exp2f(maxima[r] - maximum);
      sum += share * sums[r];
      mixed += share * values[r];
    }
    a.out[at.first_head * HeadDim + i] = mixed / sum;
  }
}

/// The result of a block that has the whole context.
template <class T, int HeadDim, int Heads>
__device__ __forceinline__ void write_alone(const attention_arguments& a, const attention_place& at,
                                            const attention_memory<T, HeadDim, Heads>& memory) {
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < at.head_count * HeadDim; i += attention_threads) {
    const std::uint32_t h = i / HeadDim;
    a.out[at.first_head * HeadDim + i] = memory.mixed[h][i % HeadDim] / memory.sum[h];
  }
}

template <int Heads>
__device__ __forceinline__ attention_place place_of(const attention_arguments& a,
                                                    std::uint32_t lane_column) {
  const std::uint32_t group = a.heads / a.kv_heads;
  const std::uint32_t parts = (group + Heads - 1) / Heads;
  attention_place at{};
  at.kv_head = blockIdx.y / parts;
  const std::uint32_t first = blockIdx.y % parts * Heads;
  at.first_head = at.kv_head * group + first;
  at.head_count = group - first < Heads ? group - first : Heads;
  at.lane_column = lane_column;
  at.position = static_cast<std::uint32_t>(__ldcg(&a.state->position));
  const std::uint32_t useful = at.position / tokens_a_block + 1;
  at.rank = blockIdx.x;
  at.ranks = useful < gridDim.x ? useful : gridDim.x;
  return at;
}

/// Grid: (blocks of a cluster, KV heads · parts of their query heads); a cluster is one row of it.
template <class T, int HeadDim, int Heads>
__global__ void __launch_bounds__(attention_threads, 2)
    paged_attention(const __grid_constant__ attention_arguments a) {
  using team = attention_team<T, HeadDim>;
  extern __shared__ __align__(16) std::byte raw_memory[];
  auto& memory = *reinterpret_cast<attention_memory<T, HeadDim, Heads>*>(raw_memory);
  allow_next_kernel();
  const attention_place at = place_of<Heads>(a, threadIdx.x % team::lanes * team::values);
  if (at.rank >= at.ranks) return;  // a barrier of the cluster waits for those that have not left
  attention_state<T, HeadDim, Heads> s{};
#pragma unroll
  for (int h = 0; h < Heads; ++h) s.maximum[h] = -INFINITY;
  fetch<T, HeadDim>(a, at, 0, 0, s.keys);
  fetch<T, HeadDim>(a, at, 0, 1, s.rows);
  fetch<T, HeadDim>(a, at, 1, 0, s.next_keys);
  if (threadIdx.x < HeadDim / 2)
    sincosf(static_cast<float>(at.position) * a.frequencies[threadIdx.x],
            &memory.sines[threadIdx.x], &memory.cosines[threadIdx.x]);
  __syncthreads();
  wait_for_previous_kernel();

  fresh_rows<T> fresh;
  load_fresh<T, HeadDim>(a, at, fresh);
  keep_queries(a, at, fresh, memory);
  uint4 new_key;
  uint4 new_value;
  new_token<T, HeadDim>(a, at, memory.cosines, memory.sines, fresh, new_key, new_value);
  __syncthreads();
  // The bound is the same for all teams of a warp: they shuffle together.
  const std::uint32_t warp = threadIdx.x / 32;
  for (std::uint32_t batch = 0;
       (batch * batch_tokens * at.ranks + at.rank) * team::in_block + warp * team::in_warp <=
       at.position;
       ++batch)
    attend(a, at, memory, batch, new_key, new_value, s);
  merge_warp(s);
  if (threadIdx.x % 32 < team::lanes) {
#pragma unroll
    for (int h = 0; h < Heads; ++h) {
#pragma unroll
      for (int v = 0; v < team::values; ++v)
        memory.warp_mixed[warp][h][at.lane_column + v] = s.mixed[h][v];
      memory.warp_maximum[warp][h] = s.maximum[h];
      memory.warp_sum[warp][h] = s.sum[h];
    }
  }
  __syncthreads();
  merge_block(memory);
  if (at.ranks == 1) return write_alone(a, at, memory);
  cooperative_groups::this_cluster().sync();
  merge_cluster<HeadDim>(a, at, memory);
  cooperative_groups::this_cluster().sync();  // nobody leaves while others read its memory
}

}  // namespace assay::ops::cuda
