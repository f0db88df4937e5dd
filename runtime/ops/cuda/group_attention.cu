// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Attention of many tokens over the pages of one sequence, by groups of four warps: the products
// read queries, keys and values out of shared memory, which a warp's own would load into registers
// first. Heads of 64 and 128 values of 2 bytes.
//
// A block takes 128 queries of one head, 64 a group, and walks over the context 64 keys at a time.
// The next tile is copied while this one is multiplied; two blocks share a multiprocessor, so that
// one weighs while another multiplies.
#include "runtime/ops/cuda/group_attention.h"
#include "runtime/ops/cuda/pass_launch.cuh"
#include "runtime/ops/cuda/prefill_attention.cuh"
#include "runtime/ops/cuda/tile_copies.cuh"
#include "runtime/ops/cuda/warp_group.cuh"

namespace assay::ops::cuda {
namespace {

constexpr int group_rows = 64;  ///< queries of a group
constexpr int group_threads = 128;
constexpr int block_threads = query_rows / group_rows * group_threads;

/// Shared memory of a block: queries, two tiles of keys, two of values.
template <int HeadDim>
struct group_memory {
  static constexpr std::uint32_t query_bytes = query_rows * HeadDim * 2;
  static constexpr std::uint32_t tile_bytes = key_rows * HeadDim * 2;
  /// From one block of 64 columns to the next.
  static constexpr std::uint32_t query_block_bytes = query_rows * swizzled_row_bytes;
  static constexpr std::uint32_t tile_block_bytes = key_rows * swizzled_row_bytes;
  static constexpr std::uint32_t bytes =
      query_bytes + 4 * tile_bytes + swizzle_unit_bytes + 3 * sizeof(std::uint64_t);
};

/// Which 128 tokens a block takes. In order, the longest contexts go first, so that the last blocks
/// to run are short. Folded, for blocks that all run at once, two a multiprocessor: the second half
/// goes from the shortest up, so that each multiprocessor has a long one and a short one.
__device__ __forceinline__ std::uint32_t rows_of_turn(std::uint32_t turn, std::uint32_t turns,
                                                      bool is_folded) {
  const std::uint32_t long_turns = is_folded ? (turns + 1) / 2 : turns;
  return (turn < long_turns ? turns - 1 - turn : turn - long_turns) * query_rows;
}

template <class T, int HeadDim>
__device__ __forceinline__ void copy_block_queries(const attend_rows_arguments& a,
                                                   std::uint32_t head, std::uint32_t block_row,
                                                   std::uint32_t tokens, std::uint32_t to) {
  constexpr int pieces = HeadDim / 8;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < query_rows * pieces; i += block_threads) {
    const int row = i / pieces;
    const int piece = i % pieces;
    const std::uint32_t token = block_row + static_cast<std::uint32_t>(row);
    const bool is_there = token < tokens;
    copy_or_zero(to + swizzled_offset<query_rows>(row, piece),
                 query_row<T, HeadDim>(a, head, is_there ? token : 0) + piece * 8, is_there);
  }
}

/// A thread's share of a tile: the same piece of every so many rows, so that one offset does for
/// all.
template <class T, int HeadDim>
__device__ __forceinline__ void copy_context(const attend_rows_arguments& a, std::uint32_t kv_head,
                                             std::uint32_t first_key, std::uint32_t end,
                                             std::uint32_t keys) {
  // Made anew each time: out of the arguments, without a register between two tiles.
  const cached_context<T, HeadDim> context(a, kv_head);
  constexpr int pieces = HeadDim / 8;
  constexpr std::uint32_t rows_a_turn = block_threads / pieces;
  static_assert(rows_a_turn % 8 == 0, "a swizzle unit's rows repeat after eight");
  const std::uint32_t piece = threadIdx.x % pieces;
  std::uint32_t token = first_key + threadIdx.x / pieces;
  std::uint32_t to = keys + swizzled_offset<key_rows>(static_cast<int>(threadIdx.x) / pieces,
                                                      static_cast<int>(piece));
#pragma unroll 2
  for (std::uint32_t i = 0; i < key_rows / rows_a_turn; ++i) {
    const bool is_there = token < end;
    // Token 0 where there is none: an address that may be formed.
    const T* key = context.key(is_there ? token : 0) + piece * 8;
    copy_or_zero(to, key, is_there);
    // Zero, not whatever lies there: a weight of 0 times no number is no number.
    copy_or_zero(to + 2 * group_memory<HeadDim>::tile_bytes, key + context.value_distance(),
                 is_there);
    token += rows_a_turn;
    to += rows_a_turn * swizzled_row_bytes;
  }
}

/// scores (64, 64) = queries · keysᵀ, issued; they are there after wait_for_products().
template <class T, int HeadDim>
__device__ __forceinline__ void issue_scores(std::uint64_t queries, std::uint64_t keys,
                                             float (&scores)[key_rows / 8][4]) {
  using memory = group_memory<HeadDim>;
  begin_products();
#pragma unroll
  for (int k = 0; k < HeadDim / 16; ++k)
    multiply_shared<T>(scores, moved(queries, k / 4 * memory::query_block_bytes + k % 4 * 32),
                       moved(keys, k / 4 * memory::tile_block_bytes + k % 4 * 32), k > 0);
  close_products();
}

/// What a lane keeps of its two rows: the largest score so far, and the sum of what was mixed.
struct group_rows_state {
  float maximum[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0.0F, 0.0F};
};

/// The rows' new maxima; what was mixed before shrinks accordingly. Gives scale · maximum.
template <int Count>
__device__ __forceinline__ void raise_maxima(float scale, const float (&scores)[key_rows / 8][4],
                                             group_rows_state& rows, float (&mixed)[Count][4],
                                             float (&shift)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float maximum = rows.maximum[half];
#pragma unroll
    for (int n = 0; n < key_rows / 8; ++n)
      maximum = fmaxf(maximum, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffU, maximum, 1));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffU, maximum, 2));
    // Key 0 is in the first tile and before every position: the maximum is a number from there on.
    shift[half] = maximum * scale;
    const float shrink = power_of_two(rows.maximum[half] * scale - shift[half]);
    rows.maximum[half] = maximum;
    rows.sum[half] *= shrink;
    // Seldom after the first tiles.
    if (!__any_sync(0xffffffffU, shrink != 1.0F)) continue;
#pragma unroll
    for (int d = 0; d < Count; ++d) {
      mixed[d][2 * half] *= shrink;
      mixed[d][2 * half + 1] *= shrink;
    }
  }
}

/// Scores become weights 2^(scale · score - shift), packed as the left factor of a product, 16 keys
/// each: sixteen by sixteen, so that scores give their registers back.
template <class T>
__device__ __forceinline__ void weigh_and_pack(float scale, const float (&shift)[2],
                                               const float (&scores)[key_rows / 8][4],
                                               group_rows_state& rows,
                                               std::uint32_t (&weights)[key_rows / 16][4]) {
#pragma unroll
  for (int k = 0; k < key_rows / 16; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int half = i % 2;
      const float(&pair)[4] = scores[2 * k + i / 2];
      const float first = power_of_two(fmaf(pair[2 * half], scale, -shift[half]));
      const float second = power_of_two(fmaf(pair[2 * half + 1], scale, -shift[half]));
      rows.sum[half] += first + second;
      weights[k][i] = packed_pair<T>(first, second);
    }
}

/// Each warp has its share of a tile copied.
template <int HeadDim>
__device__ __forceinline__ void stream_context(const attend_rows_arguments& a,
                                               const context_maps& maps, std::uint32_t kv_head,
                                               std::uint32_t first_key, std::uint32_t end,
                                               std::uint32_t keys, std::uint64_t* there) {
  const std::uint32_t rows = min(end - first_key, static_cast<std::uint32_t>(key_rows));
  const std::uint32_t boxes = (rows + maps.box_rows - 1) / maps.box_rows;
  if (threadIdx.x == 0) barrier_expect(there, 2 * boxes * maps.box_rows * HeadDim * 2);
  if (threadIdx.x % 32 != 0) return;
  for (std::uint32_t i = threadIdx.x / 32; i < 2 * boxes; i += block_threads / 32) {
    const std::uint32_t ahead = i / 2 * maps.box_rows;
    const std::uint32_t token = first_key + ahead;
    const std::uint32_t page = a.table[token >> maps.page_shift];
    const std::uint32_t plane = (page * a.kv_heads + kv_head) * 2 + i % 2;
    const std::uint32_t to = keys + i % 2 * 2 * group_memory<HeadDim>::tile_bytes;
#pragma unroll
    for (std::uint32_t block = 0; block < HeadDim / 64; ++block)
      copy_box(to + block * group_memory<HeadDim>::tile_block_bytes + ahead * swizzled_row_bytes,
               maps.rows, block * 64, token & (a.page_tokens - 1), plane, there);
  }
}

/// Grid: (heads, blocks of 128 tokens).
template <class T, int HeadDim>
__global__ void __launch_bounds__(block_threads, 2)
    attend_streamed_kernel(const __grid_constant__ attend_rows_arguments a,
                           const __grid_constant__ context_maps maps, std::uint32_t first,
                           std::uint32_t tokens, bool is_folded) {
  using memory = group_memory<HeadDim>;
  extern __shared__ std::byte raw_memory[];
  std::byte* const base =
      raw_memory +
      (swizzle_unit_bytes - shared_address(raw_memory) % swizzle_unit_bytes) % swizzle_unit_bytes;
  const std::uint32_t queries = shared_address(base);
  const std::uint32_t keys = queries + memory::query_bytes;
  const std::uint32_t values = keys + 2 * memory::tile_bytes;
  auto* const there =
      reinterpret_cast<std::uint64_t*>(base + memory::query_bytes + 4 * memory::tile_bytes);
  const std::uint32_t head = blockIdx.x;
  const std::uint32_t block_row = rows_of_turn(blockIdx.y, gridDim.y, is_folded);
  const std::uint32_t group = threadIdx.x / group_threads;
  const std::uint32_t group_row = block_row + group * group_rows;
  const std::uint32_t warp_row = group_row + threadIdx.x % group_threads / 32 * 16;
  const std::uint32_t row = warp_row + threadIdx.x % 32 / 4;
  const std::uint32_t block_end = block_row + query_rows < tokens ? block_row + query_rows : tokens;
  const std::uint32_t tiles = (first + block_end - 1) / key_rows + 1;
  const float scale = rsqrtf(static_cast<float>(HeadDim)) * 1.44269504088896340736F;
  const std::uint32_t kv_head = head / (a.heads / a.kv_heads);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; ++i) barrier_init(there + i, 1);
    barrier_init_done();
  }
  wait_for_previous_kernel();
  if (threadIdx.x == 0) {
    barrier_expect(there + 2, memory::query_bytes);
#pragma unroll
    for (std::uint32_t block = 0; block < HeadDim / 64; ++block)
      copy_box(queries + block * memory::query_block_bytes, maps.queries,
               head * HeadDim + block * 64, block_row, there + 2);
  }
  __syncthreads();
  stream_context<HeadDim>(a, maps, kv_head, 0, first + tokens, keys, there);
  barrier_wait(there + 2, 0);
  const std::uint64_t group_queries =
      matrix_at(queries + group * group_rows * swizzled_row_bytes, 0);
  float mixed[HeadDim / 8][4] = {};
  group_rows_state rows;
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    const std::uint32_t turn = tile % 2 * memory::tile_bytes;
    const std::uint32_t first_key = tile * key_rows;
    barrier_wait(there + tile % 2, tile / 2 % 2);
    if (first_key + key_rows > first + tokens)
      clear_rows<HeadDim, key_rows>(base + memory::query_bytes + 2 * memory::tile_bytes + turn,
                                    first + tokens - first_key, threadIdx.x, block_threads);
    __syncthreads();  // nobody reads the other tile any more
    float scores[key_rows / 8][4];
    // Also where every key comes after the group's queries: it would only wait for the other one.
    issue_scores<T, HeadDim>(group_queries, matrix_at(keys + turn, 0), scores);
    if (tile + 1 < tiles)
      stream_context<HeadDim>(a, maps, kv_head, first_key + key_rows, first + tokens,
                              keys + memory::tile_bytes - turn, there + (tile + 1) % 2);
    __syncwarp();
    wait_for_products();
    hold(scores);
    if (first_key + key_rows - 1 > first + warp_row)
      hide_later_keys(first_key, first + row, scores);
    float shift[2];
    raise_maxima(scale, scores, rows, mixed, shift);
    std::uint32_t weights[key_rows / 16][4];
    weigh_and_pack<T>(scale, shift, scores, rows, weights);
    begin_products();
#pragma unroll
    for (int k = 0; k < key_rows / 16; ++k)
      add_product<T>(
          mixed, weights[k],
          matrix_at(values + turn + k * 16 * swizzled_row_bytes, memory::tile_block_bytes));
    close_products();
    wait_for_products();
    hold(mixed);
    hold(weights);
  }
  store_rows<T, HeadDim>(a, head, row, tokens, rows.sum, mixed);
}

template <class T, int HeadDim>
cudaError_t attend_streamed(const pass_site& site, const attend_rows_arguments& a) {
  constexpr auto kernel = &attend_streamed_kernel<T, HeadDim>;
  constexpr std::uint32_t bytes = group_memory<HeadDim>::bytes;
  // All of a multiprocessor's memory as shared, or a second block may find no room.
  static const cudaError_t allowed = [&] {
    const cudaError_t code = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    return code != cudaSuccess
               ? code
               : cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared);
  }();
  if (allowed != cudaSuccess) return allowed;
  context_maps maps;
  const cudaError_t made = make_context_maps(site, a, key_rows, maps);
  if (made != cudaSuccess) return made;
  const dim3 grid(a.heads, (site.tokens + query_rows - 1) / query_rows);
  const bool is_folded = grid.x * grid.y <= 2 * a.multiprocessors;
  return launch_in_pass(site, {grid, block_threads, bytes}, kernel, a, maps, site.first,
                        site.tokens, is_folded);
}

/// Grid: (heads, blocks of 128 tokens).
template <class T, int HeadDim>
__global__ void __launch_bounds__(block_threads, 2)
    attend_groups_kernel(const __grid_constant__ attend_rows_arguments a, std::uint32_t first,
                         std::uint32_t tokens, bool is_folded) {
  using memory = group_memory<HeadDim>;
  extern __shared__ std::byte raw_memory[];
  const std::uint32_t queries = (shared_address(raw_memory) + swizzle_unit_bytes - 1) /
                                swizzle_unit_bytes * swizzle_unit_bytes;
  const std::uint32_t keys = queries + memory::query_bytes;
  const std::uint32_t values = keys + 2 * memory::tile_bytes;
  const std::uint32_t head = blockIdx.x;
  const std::uint32_t block_row = rows_of_turn(blockIdx.y, gridDim.y, is_folded);
  const std::uint32_t group = threadIdx.x / group_threads;
  const std::uint32_t group_row = block_row + group * group_rows;
  const std::uint32_t warp_row = group_row + threadIdx.x % group_threads / 32 * 16;
  const std::uint32_t row = warp_row + threadIdx.x % 32 / 4;
  const std::uint32_t block_end = block_row + query_rows < tokens ? block_row + query_rows : tokens;
  const std::uint32_t tiles = (first + block_end - 1) / key_rows + 1;
  const float scale = rsqrtf(static_cast<float>(HeadDim)) * 1.44269504088896340736F;

  const std::uint32_t kv_head = head / (a.heads / a.kv_heads);
  wait_for_previous_kernel();
  copy_block_queries<T, HeadDim>(a, head, block_row, tokens, queries);
  copy_context<T, HeadDim>(a, kv_head, 0, first + tokens, keys);
  close_copies();
  const std::uint64_t group_queries =
      matrix_at(queries + group * group_rows * swizzled_row_bytes, 0);
  float mixed[HeadDim / 8][4] = {};
  group_rows_state rows;
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    const std::uint32_t turn = tile % 2 * memory::tile_bytes;
    wait_for_copies<0>();
    show_copies_to_products();
    __syncthreads();  // the tile is there, and nobody reads the other one any more
    const std::uint32_t first_key = tile * key_rows;
    float scores[key_rows / 8][4];
    // Also where every key comes after the group's queries: it would only wait for the other one.
    issue_scores<T, HeadDim>(group_queries, matrix_at(keys + turn, 0), scores);
    if (tile + 1 < tiles)
      copy_context<T, HeadDim>(a, kv_head, first_key + key_rows, first + tokens,
                               keys + memory::tile_bytes - turn);
    close_copies();
    wait_for_products();
    hold(scores);
    if (first_key + key_rows - 1 > first + warp_row)
      hide_later_keys(first_key, first + row, scores);
    float shift[2];
    raise_maxima(scale, scores, rows, mixed, shift);
    std::uint32_t weights[key_rows / 16][4];
    weigh_and_pack<T>(scale, shift, scores, rows, weights);
    begin_products();
#pragma unroll
    for (int k = 0; k < key_rows / 16; ++k)
      add_product<T>(
          mixed, weights[k],
          matrix_at(values + turn + k * 16 * swizzled_row_bytes, memory::tile_block_bytes));
    close_products();
    // At once: kept open over the next tile's copies it would take more registers than there are.
    wait_for_products();
    hold(mixed);
    hold(weights);
  }
  store_rows<T, HeadDim>(a, head, row, tokens, rows.sum, mixed);
}

template <class T, int HeadDim>
cudaError_t attend(const pass_site& site, const attend_rows_arguments& a) {
  constexpr auto kernel = &attend_groups_kernel<T, HeadDim>;
  constexpr std::uint32_t bytes = group_memory<HeadDim>::bytes;
  // All of a multiprocessor's memory as shared, or a second block may find no room.
  static const cudaError_t allowed = [&] {
    const cudaError_t code = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    return code != cudaSuccess
               ? code
               : cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared);
  }();
  if (allowed != cudaSuccess) return allowed;
  const dim3 grid(a.heads, (site.tokens + query_rows - 1) / query_rows);
  const bool is_folded = grid.x * grid.y <= 2 * a.multiprocessors;
  return launch_in_pass(site, {grid, block_threads, bytes}, kernel, a, site.first, site.tokens,
                        is_folded);
}

template <class T>
cudaError_t attend_heads(const pass_site& site, const attend_rows_arguments& a) {
  if (a.kind == row_attention::streamed) {
    if (!has_context_maps(a.page_tokens)) return cudaErrorInvalidValue;
    if (a.head_dim == 64) return attend_streamed<T, 64>(site, a);
    if (a.head_dim == 128) return attend_streamed<T, 128>(site, a);
    return cudaErrorInvalidValue;
  }
  if (a.head_dim == 64) return attend<T, 64>(site, a);
  if (a.head_dim == 128) return attend<T, 128>(site, a);
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t attend_rows_in_groups(element type, const pass_site& site,
                                  const attend_rows_arguments& a) {
  if (type == element::bf16) return attend_heads<__nv_bfloat16>(site, a);
  if (type == element::f16) return attend_heads<__half>(site, a);
  return cudaErrorInvalidValue;
}

}  // namespace assay::ops::cuda
