// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Attention of many tokens over the pages of one sequence, where copies, products and weights
// overlap. Heads of 64 and 128 values of 2 bytes.
//
// A block has a multiprocessor for itself: two warps that have tiles copied, and two groups that
// have 64 queries of one head each and walk over the context 128 keys at a time. While a group
// weighs the scores of a tile, its product of the weights before with their values is under way,
// and so may be the other group's. A block takes a long context and then a short one, so that all
// blocks have as much to do.
#include "runtime/ops/cuda/pass_launch.cuh"
#include "runtime/ops/cuda/pipelined_attention.h"
#include "runtime/ops/cuda/prefill_attention.cuh"
#include "runtime/ops/cuda/tile_copies.cuh"
#include "runtime/ops/cuda/warp_group.cuh"

namespace assay::ops::cuda {
namespace {

constexpr int tile_keys = context_tile_keys;
constexpr int stages = 2;
constexpr int items = 2;  ///< contexts of a block
constexpr int group_rows = 64;
constexpr int group_threads = 128;
constexpr int groups = query_rows / group_rows;
constexpr int block_threads = (groups + 1) * group_threads;
constexpr int clearing_barrier = 3;  ///< after those of product_order
constexpr int multiplying_warps = groups * group_threads / 32;
// Registers of a thread: 384 times 168 are what a multiprocessor has.
constexpr int copying_registers = 40;
constexpr int multiplying_registers = 232;

/// Who waits for whom, in shared memory. `there` counts bytes, `free` the warps that read.
struct pipe_barriers {
  std::uint64_t keys_there[stages], keys_free[stages];
  std::uint64_t values_there[stages], values_free[stages];
  std::uint64_t queries_there[items];
};

/// Shared memory of a block: queries of both contexts, tiles of keys, tiles of values, barriers.
template <int HeadDim>
struct pipe_memory {
  static constexpr std::uint32_t query_bytes = query_rows * HeadDim * 2;
  static constexpr std::uint32_t tile_bytes = tile_keys * HeadDim * 2;
  /// From one block of 64 columns to the next.
  static constexpr std::uint32_t query_block_bytes = query_rows * swizzled_row_bytes;
  static constexpr std::uint32_t tile_block_bytes = tile_keys * swizzled_row_bytes;
  static constexpr std::uint32_t barriers_offset = items * query_bytes + 2 * stages * tile_bytes;
  static constexpr std::uint32_t bytes =
      barriers_offset + sizeof(pipe_barriers) + swizzle_unit_bytes;

  std::byte* base;  ///< at a multiple of a swizzle unit

  __device__ explicit pipe_memory(std::byte* raw)
      : base(raw + (swizzle_unit_bytes - shared_address(raw) % swizzle_unit_bytes) %
                       swizzle_unit_bytes) {}
  __device__ std::uint32_t queries(std::uint32_t which) const {
    return shared_address(base) + which * query_bytes;
  }
  __device__ std::byte* value_tile(std::uint32_t stage) const {
    return base + items * query_bytes + (stages + stage) * tile_bytes;
  }
  __device__ std::uint32_t keys(std::uint32_t stage) const {
    return queries(items) + stage * tile_bytes;
  }
  __device__ std::uint32_t values(std::uint32_t stage) const { return keys(stages + stage); }
  __device__ pipe_barriers& barriers() const {
    return *reinterpret_cast<pipe_barriers*>(base + barriers_offset);
  }
};

/// One of the contexts that a block attends over.
struct pipe_item {
  std::uint32_t block_row;  ///< first of its 128 tokens
  std::uint32_t tiles;

  /// The `which`-th of block `turn` of `turns`; false where there is none.
  __device__ static bool find(std::uint32_t which, std::uint32_t first, std::uint32_t tokens,
                              pipe_item& item) {
    const std::uint32_t turns = (tokens + query_rows - 1) / query_rows;
    const std::uint32_t turn = which == 0 ? turns - 1 - blockIdx.y : blockIdx.y;
    if (which == 1 && turn == turns - 1 - blockIdx.y) return false;
    item.block_row = turn * query_rows;
    const std::uint32_t end = min(item.block_row + query_rows, tokens);
    item.tiles = (first + end - 1) / tile_keys + 1;
    return true;
  }
};

/// The n-th use of a stage: its place, and the parity of its barriers.
struct pipe_turn {
  std::uint32_t stage, parity;
  __device__ explicit pipe_turn(std::uint32_t n) : stage(n % stages), parity(n / stages % 2) {}
};

/// One warp has keys copied; another queries, which nobody misses before the first keys, and
/// values.
template <int HeadDim>
__device__ __forceinline__ void copy_all(const attend_rows_arguments& a, const context_maps& maps,
                                         std::uint32_t head, std::uint32_t first,
                                         std::uint32_t tokens, bool has_values,
                                         const pipe_memory<HeadDim>& memory) {
  using kind = pipe_memory<HeadDim>;
  pipe_barriers& barriers = memory.barriers();
  const tile_copier<HeadDim, tile_keys> tiles(maps, a, head / (a.heads / a.kv_heads),
                                              has_values ? 1 : 0, first + tokens);
  std::uint64_t* const there = has_values ? barriers.values_there : barriers.keys_there;
  std::uint64_t* const free = has_values ? barriers.values_free : barriers.keys_free;
  std::uint32_t n = 0;
  pipe_item item;
  for (std::uint32_t which = 0; which < items; ++which) {
    if (!pipe_item::find(which, first, tokens, item)) break;
    if (has_values && threadIdx.x % 32 == 0) {
      barrier_expect(&barriers.queries_there[which], kind::query_bytes);
#pragma unroll
      for (std::uint32_t block = 0; block < HeadDim / 64; ++block)
        copy_box(memory.queries(which) + block * kind::query_block_bytes, maps.queries,
                 head * HeadDim + block * 64, item.block_row, &barriers.queries_there[which]);
    }
    std::uint32_t page = tiles.page_of(0);
    for (std::uint32_t tile = 0; tile < item.tiles; ++tile, ++n) {
      const pipe_turn turn(n);
      const std::uint32_t next = tiles.page_of((tile + 1) * tile_keys);
      // Of a stage that nobody has used yet the phase before counts as ended.
      barrier_wait(&free[turn.stage], turn.parity ^ 1);
      tiles.copy(tile * tile_keys, page,
                 has_values ? memory.values(turn.stage) : memory.keys(turn.stage),
                 &there[turn.stage]);
      page = next;
    }
  }
}

/// What a thread that multiplies keeps: of its two rows the largest score and the sum of what was
/// mixed, and the weights of a tile as the left factor of a product.
template <int HeadDim>
struct pipe_rows {
  float mixed[HeadDim / 8][4];
  std::uint32_t weights[tile_keys / 16][4];
  float maximum[2], sum[2];
};

using tile_scores = float[tile_keys / 8][4];

/// scores (64, 128) = queries · keysᵀ, issued.
template <class T, int HeadDim>
__device__ __forceinline__ void issue_scores(std::uint64_t queries, std::uint64_t keys,
                                             tile_scores& scores) {
  using memory = pipe_memory<HeadDim>;
  begin_products();
#pragma unroll
  for (int k = 0; k < HeadDim / 16; ++k)
    multiply_shared<T>(scores, moved(queries, k / 4 * memory::query_block_bytes + k % 4 * 32),
                       moved(keys, k / 4 * memory::tile_block_bytes + k % 4 * 32), k > 0);
  close_products();
}

/// mixed += weights · values, issued.
template <class T, int HeadDim>
__device__ __forceinline__ void issue_mix(std::uint32_t values, pipe_rows<HeadDim>& rows) {
  begin_products();
#pragma unroll
  for (int k = 0; k < tile_keys / 16; ++k)
    add_product<T>(
        rows.mixed, rows.weights[k],
        matrix_at(values + k * 16 * swizzled_row_bytes, pipe_memory<HeadDim>::tile_block_bytes));
  close_products();
}

/// Scores become weights 2^(scale · (score - maximum)), not yet packed; `shrink` is what those
/// before are to be multiplied by.
__device__ __forceinline__ void weigh_scores(float scale, tile_scores& scores, float (&maxima)[2],
                                             float (&sums)[2], float (&shrink)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float maximum = maxima[half];
#pragma unroll
    for (int n = 0; n < tile_keys / 8; ++n)
      maximum = fmaxf(maximum, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffU, maximum, 1));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffU, maximum, 2));
    // Key 0 is in the first tile and before every position: the maximum is a number from there on.
    const float shift = maximum * scale;
    shrink[half] = power_of_two(maxima[half] * scale - shift);
    maxima[half] = maximum;
    float sum = 0.0F;
#pragma unroll
    for (int n = 0; n < tile_keys / 8; ++n)
#pragma unroll
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        scores[n][i] = power_of_two(fmaf(scores[n][i], scale, -shift));
        sum += scores[n][i];
      }
    sums[half] = sums[half] * shrink[half] + sum;
  }
}

template <int Count>
__device__ __forceinline__ void shrink_rows(const float (&shrink)[2], float (&mixed)[Count][4]) {
  // Seldom after the first tiles.
  if (!__any_sync(0xffffffffU, shrink[0] != 1.0F || shrink[1] != 1.0F)) return;
#pragma unroll
  for (int d = 0; d < Count; ++d)
#pragma unroll
    for (int i = 0; i < 4; ++i) mixed[d][i] *= shrink[i / 2];
}

template <class T>
__device__ __forceinline__ void pack_weights(const tile_scores& scores,
                                             std::uint32_t (&weights)[tile_keys / 16][4]) {
#pragma unroll
  for (int k = 0; k < tile_keys / 16; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      weights[k][i] =
          packed_pair<T>(scores[2 * k + i / 2][i % 2 * 2], scores[2 * k + i / 2][i % 2 * 2 + 1]);
}

/// A warp's word that it read what it waited for.
__device__ __forceinline__ void give_back(std::uint64_t* free) {
  if (threadIdx.x % 32 == 0) barrier_arrive(free);
}

/// The groups' order: each waits until the other has issued its products, so that one weighs while
/// the other multiplies.
struct product_order {
  static constexpr int first_barrier = 1;  // 0 is __syncthreads
  static constexpr int both = groups * group_threads;
  int group;

  __device__ explicit product_order(int which) : group(which) {
    if (group == 1) warps_barrier_arrive(first_barrier, both);
  }
  __device__ void begin() const { warps_barrier(first_barrier + group, both); }
  __device__ void end() const { warps_barrier_arrive(first_barrier + 1 - group, both); }
};

/// One context of a block, by one group. `n`: uses of stages before this one.
template <class T, int HeadDim>
__device__ __forceinline__ void attend_item(const attend_rows_arguments& a, std::uint32_t head,
                                            std::uint32_t first, std::uint32_t tokens,
                                            const pipe_memory<HeadDim>& memory,
                                            const product_order& order, const pipe_item& item,
                                            std::uint32_t which, std::uint32_t n) {
  pipe_barriers& barriers = memory.barriers();
  const float scale = rsqrtf(static_cast<float>(HeadDim)) * 1.44269504088896340736F;
  const std::uint32_t warp_row =
      item.block_row + order.group * group_rows + threadIdx.x % group_threads / 32 * 16;
  const std::uint32_t row = warp_row + threadIdx.x % 32 / 4;
  const std::uint64_t queries =
      matrix_at(memory.queries(which) + order.group * group_rows * swizzled_row_bytes, 0);
  pipe_rows<HeadDim> rows{};
  rows.maximum[0] = rows.maximum[1] = -INFINITY;
  tile_scores scores;
  float shrink[2];
  const auto hide = [&](std::uint32_t tile) {
    if (tile * tile_keys + tile_keys - 1 > first + warp_row)
      hide_later_keys(tile * tile_keys, first + row, scores);
  };
  const pipe_turn begin(n);
  barrier_wait(&barriers.keys_there[begin.stage], begin.parity);
  issue_scores<T, HeadDim>(queries, matrix_at(memory.keys(begin.stage), 0), scores);
  wait_for_products<0>();
  hold(scores);
  give_back(&barriers.keys_free[begin.stage]);
  hide(0);
  weigh_scores(scale, scores, rows.maximum, rows.sum, shrink);
  pack_weights<T>(scores, rows.weights);
  for (std::uint32_t tile = 1; tile < item.tiles; ++tile) {
    const pipe_turn now(n + tile);
    const pipe_turn before(n + tile - 1);
    barrier_wait(&barriers.keys_there[now.stage], now.parity);
    barrier_wait(&barriers.values_there[before.stage], before.parity);
    order.begin();
    issue_scores<T, HeadDim>(queries, matrix_at(memory.keys(now.stage), 0), scores);
    issue_mix<T, HeadDim>(memory.values(before.stage), rows);
    order.end();
    wait_for_products<1>();
    hold(scores);
    give_back(&barriers.keys_free[now.stage]);
    hide(tile);
    weigh_scores(scale, scores, rows.maximum, rows.sum, shrink);
    wait_for_products<0>();
    hold(rows.mixed);
    hold(rows.weights);
    give_back(&barriers.values_free[before.stage]);
    shrink_rows(shrink, rows.mixed);
    pack_weights<T>(scores, rows.weights);
  }
  const pipe_turn last(n + item.tiles - 1);
  barrier_wait(&barriers.values_there[last.stage], last.parity);
  const std::uint32_t last_rows = first + tokens - (item.tiles - 1) * tile_keys;
  if (last_rows < tile_keys) {
    constexpr std::uint32_t both = groups * group_threads;
    clear_rows<HeadDim, tile_keys>(memory.value_tile(last.stage), last_rows,
                                   threadIdx.x - group_threads, both);
    warps_barrier(clearing_barrier, both);
  }
  issue_mix<T, HeadDim>(memory.values(last.stage), rows);
  wait_for_products<0>();
  hold(rows.mixed);
  give_back(&barriers.values_free[last.stage]);
  store_rows<T, HeadDim>(a, head, row, tokens, rows.sum, rows.mixed);
}

__device__ __forceinline__ void open_barriers(pipe_barriers& barriers) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      barrier_init(&barriers.keys_there[i], 1);
      barrier_init(&barriers.values_there[i], 1);
      barrier_init(&barriers.keys_free[i], multiplying_warps);
      barrier_init(&barriers.values_free[i], multiplying_warps);
    }
    for (int i = 0; i < items; ++i) barrier_init(&barriers.queries_there[i], 1);
    barrier_init_done();
  }
  __syncthreads();
}

/// Grid: (heads, pairs of blocks of 128 tokens).
template <class T, int HeadDim>
__global__ void __launch_bounds__(block_threads, 1)
    attend_pipelined_kernel(const __grid_constant__ attend_rows_arguments a,
                            const __grid_constant__ context_maps maps, std::uint32_t first,
                            std::uint32_t tokens) {
  extern __shared__ std::byte raw_memory[];
  const pipe_memory<HeadDim> memory(raw_memory);
  open_barriers(memory.barriers());
  const std::uint32_t head = blockIdx.x;
  if (threadIdx.x < group_threads) {
    give_registers<copying_registers>();
    wait_for_previous_kernel();
    const std::uint32_t warp = threadIdx.x / 32;
    if (warp < 2) copy_all<HeadDim>(a, maps, head, first, tokens, warp == 1, memory);
    return;
  }
  take_registers<multiplying_registers>();
  const product_order order(static_cast<int>(threadIdx.x) / group_threads - 1);
  std::uint32_t n = 0;
  pipe_item item;
  for (std::uint32_t which = 0; which < items; ++which) {
    if (!pipe_item::find(which, first, tokens, item)) break;
    barrier_wait(&memory.barriers().queries_there[which], 0);
    attend_item<T, HeadDim>(a, head, first, tokens, memory, order, item, which, n);
    n += item.tiles;
  }
}

template <class T, int HeadDim>
cudaError_t launch(const pass_site& site, const attend_rows_arguments& a,
                   const context_maps& maps) {
  constexpr auto kernel = &attend_pipelined_kernel<T, HeadDim>;
  constexpr std::uint32_t bytes = pipe_memory<HeadDim>::bytes;
  static once_a_device told;
  const cudaError_t allowed = allow_dynamic_memory(told, kernel, bytes);
  if (allowed != cudaSuccess) return allowed;
  const std::uint32_t turns = (site.tokens + query_rows - 1) / query_rows;
  return launch_in_pass(site, {dim3(a.heads, (turns + 1) / 2), block_threads, bytes}, kernel, a,
                        maps, site.first, site.tokens);
}

template <class T>
cudaError_t attend_heads(const pass_site& site, const attend_rows_arguments& a,
                         const context_maps& maps) {
  if (a.head_dim == 64) return launch<T, 64>(site, a, maps);
  if (a.head_dim == 128) return launch<T, 128>(site, a, maps);
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t attend_rows_pipelined(element type, const pass_site& site,
                                  const attend_rows_arguments& a, const context_maps& maps) {
  if (type == element::bf16) return attend_heads<__nv_bfloat16>(site, a, maps);
  if (type == element::f16) return attend_heads<__half>(site, a, maps);
  return cudaErrorInvalidValue;
}

}  // namespace assay::ops::cuda
