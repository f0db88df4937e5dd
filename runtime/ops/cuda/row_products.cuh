// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Weight rows times one activation vector, streamed through shared memory: the kernel behind every
// projection of a decode step.
//
// A block owns a run of rows. One warp keeps a ring of stages full by bulk copies, which need
// neither registers nor the kernel before: the ring fills while that kernel still runs. The others
// hold their columns of the activation in registers and multiply stage after stage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/pipeline.cuh"
#include "runtime/ops/cuda/row_map.cuh"
#include "runtime/ops/cuda/row_tile.cuh"

namespace assay::ops::cuda {

inline constexpr int max_stages = 12;

struct ring_shape {
  std::uint32_t stages = 0;
  std::uint32_t stage_bytes = 0;
};

/// What a kernel reads, and what the projection after it will read first.
struct row_plan {
  row_map mine;
  row_map next;
  std::uint32_t prefetch_bytes = 0;  ///< of each block's share of `next`
};

template <class Tile>
struct block_memory {
  std::uint64_t full[max_stages];
  std::uint64_t empty[max_stages];
  float partial[Tile::warps_k][Tile::buffered_rows];
  float squares[Tile::warps_k];
};

/// While the last stages are multiplied the memory would have nothing to do: it brings the begin of
/// the next projection's rows into L2.
__device__ __forceinline__ void prefetch_next(const row_plan& plan, std::uint32_t lane) {
  if (plan.prefetch_bytes == 0) return;
  const owned_rows share = rows_of_block(plan.next);
  std::uint32_t rows = plan.prefetch_bytes / plan.next.row_bytes;
  if (rows > share.count) rows = share.count;
  for (std::uint32_t r = lane; r < rows; r += 32)
    prefetch_l2(plan.next.row(share.begin + r), plan.next.row_bytes);
}

/// The warp that copies. Lane l issues row l of a stage.
template <class Tile>
__device__ __forceinline__ void produce(const row_plan& plan, const owned_rows& mine,
                                        const ring_shape& ring, std::byte* stages,
                                        block_memory<Tile>& memory) {
  const std::uint32_t row_bytes = plan.mine.row_bytes;
  const auto lane = static_cast<std::uint32_t>(threadIdx.x) % 32;
  if (lane == 0) {
    for (std::uint32_t s = 0; s < ring.stages; ++s) {
      barrier_init(&memory.full[s], 1);
      barrier_init(&memory.empty[s], Tile::consumer_warps);
    }
    barrier_init_done();
  }
  __syncwarp();
  bool is_announced = false;
  std::uint32_t slot = 0;
  std::uint32_t parity = 1;  // the first pass over the ring finds it empty
  for (std::uint32_t first = 0; first < mine.count; first += Tile::stage_rows) {
    if (first / Tile::stage_rows >= ring.stages) {
      if (!is_announced) warps_barrier(0, Tile::threads);
      is_announced = true;
      barrier_wait(&memory.empty[slot], parity);
    }
    const std::uint32_t left = mine.count - first;
    const std::uint32_t rows = left < Tile::stage_rows ? left : Tile::stage_rows;
    if (lane == 0) barrier_expect(&memory.full[slot], rows * row_bytes);
    __syncwarp();
    if (lane < rows)
      bulk_copy(stages + slot * ring.stage_bytes + lane * row_bytes,
                plan.mine.row(mine.begin + first + lane), row_bytes, &memory.full[slot]);
    if (++slot == ring.stages) {
      slot = 0;
      parity ^= 1U;
    }
  }
  if (!is_announced) warps_barrier(0, Tile::threads);
  prefetch_next(plan, lane);
}

/// What a thread keeps of the activation: its columns, times the norm's gain where there is one.
template <class Tile>
struct activation_part {
  float x[Tile::vectors][Tile::values];
  bool is_inside[Tile::vectors];
  float squares = 0.0F;
};

template <class Tile>
__device__ __forceinline__ std::uint32_t first_column(int vector, int warp_k, int lane) {
  return static_cast<std::uint32_t>(((vector * Tile::warps_k + warp_k) * 32 + lane) * Tile::values);
}

template <class Tile, class Operator>
__device__ __forceinline__ activation_part<Tile> load_part(const Operator& op, int warp_k,
                                                           int lane) {
  activation_part<Tile> part;
  uint4 gain[Tile::vectors];
#pragma unroll
  for (int i = 0; i < Tile::vectors; ++i) {
    const std::uint32_t column = first_column<Tile>(i, warp_k, lane);
    part.is_inside[i] = column < op.columns;
    if constexpr (Operator::has_norm)
      if (part.is_inside[i]) gain[i] = *reinterpret_cast<const uint4*>(op.gain + column);
  }
  warps_barrier(0, Tile::threads);
  wait_for_previous_kernel();
#pragma unroll
  for (int i = 0; i < Tile::vectors; ++i)
    if (part.is_inside[i]) op.load_x(first_column<Tile>(i, warp_k, lane), part.x[i]);
  if constexpr (Operator::has_norm) {
#pragma unroll
    for (int i = 0; i < Tile::vectors; ++i) {
      if (!part.is_inside[i]) continue;
      float factors[Tile::values];
      widen<typename Tile::weight>(gain[i], factors);
#pragma unroll
      for (int v = 0; v < Tile::values; ++v) {
        part.squares += part.x[i][v] * part.x[i][v];
        part.x[i][v] *= factors[v];
      }
    }
  }
  return part;
}

/// Sums of `GroupRows` rows of a stage over the thread's columns.
template <class Tile>
__device__ __forceinline__ void multiply_stage(const activation_part<Tile>& part,
                                               const std::byte* rows, std::uint32_t row_bytes,
                                               float (&sums)[Tile::group_rows]) {
#pragma unroll
  for (int r = 0; r < Tile::group_rows; ++r) sums[r] = 0.0F;
#pragma unroll
  for (int i = 0; i < Tile::vectors; ++i) {
    if (!part.is_inside[i]) continue;
#pragma unroll
    for (int r = 0; r < Tile::group_rows; ++r) {
      const std::byte* at = rows + r * row_bytes + i * (Tile::warps_k * 32 * 16);
      float w[Tile::values];
      widen<typename Tile::weight>(*reinterpret_cast<const uint4*>(at), w);
#pragma unroll
      for (int v = 0; v < Tile::values; ++v) sums[r] = fmaf(w[v], part.x[i][v], sums[r]);
    }
  }
}

/// Adds the partial sums of `count` buffered rows over the warps and hands them to the operator.
template <class Tile, class Operator>
__device__ __forceinline__ void finish_rows(const Operator& op, block_memory<Tile>& memory,
                                            std::uint32_t first_row, std::uint32_t count,
                                            typename Operator::tally& tally) {
  warps_barrier(1, Tile::consumers);
  const std::uint32_t at = threadIdx.x * Operator::unit;
  if (at < count) {
    float sums[Operator::unit];
#pragma unroll
    for (int u = 0; u < Operator::unit; ++u) {
      sums[u] = 0.0F;
#pragma unroll
      for (int k = 0; k < Tile::warps_k; ++k) sums[u] += memory.partial[k][at + u];
    }
    float scale = 1.0F;
    if constexpr (Operator::has_norm) {
      float squares = 0.0F;
#pragma unroll
      for (int k = 0; k < Tile::warps_k; ++k) squares += memory.squares[k];
      scale = rsqrtf(squares / static_cast<float>(op.columns) + op.eps);
    }
    op.finish(first_row + at, sums, scale, tally);
  }
  warps_barrier(1, Tile::consumers);
}

/// Fetches what the operator adds to the rows of the buffer that begins now: a read at the end
/// would stand in the way of the next kernel.
template <class Operator>
__device__ __forceinline__ void prepare_rows(const Operator& op, const owned_rows& mine,
                                             std::uint32_t begin, typename Operator::tally& tally) {
  const std::uint32_t at = begin + threadIdx.x * Operator::unit;
  if (at < mine.count) op.prepare(mine.begin + at, tally);
}

template <class Tile, class Operator>
__device__ __forceinline__ void consume(const Operator& op, const owned_rows& mine,
                                        const ring_shape& ring, std::uint32_t row_bytes,
                                        const std::byte* stages, block_memory<Tile>& memory) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_k = warp % Tile::warps_k;
  const int group = warp / Tile::warps_k;
  const activation_part<Tile> part = load_part<Tile>(op, warp_k, lane);
  if constexpr (Operator::has_norm) {
    const float squares = warp_sum(part.squares);
    if (group == 0 && lane == 0) memory.squares[warp_k] = squares;
  }
  const std::byte* mine_at = stages + group * Tile::group_rows * row_bytes +
                             static_cast<std::uint32_t>((warp_k * 32 + lane) * 16);
  typename Operator::tally tally{};
  prepare_rows(op, mine, 0, tally);
  std::uint32_t slot = 0;
  std::uint32_t parity = 0;
  std::uint32_t buffered = 0;
  for (std::uint32_t first = 0; first < mine.count; first += Tile::stage_rows) {
    barrier_wait(&memory.full[slot], parity);
    float sums[Tile::group_rows];
    multiply_stage<Tile>(part, mine_at + slot * ring.stage_bytes, row_bytes, sums);
    __syncwarp();
    if (lane == 0) barrier_arrive(&memory.empty[slot]);
    const float sum = reduce_rows<Tile::group_rows>(sums, lane);
    if (is_row_lane<Tile::group_rows>(lane))
      memory.partial[warp_k][buffered + group * Tile::group_rows +
                             reduced_row<Tile::group_rows>(lane)] = sum;
    if (++slot == ring.stages) {
      slot = 0;
      parity ^= 1U;
    }
    buffered += Tile::stage_rows;
    const std::uint32_t done = first + Tile::stage_rows;
    if (buffered == Tile::buffered_rows || done >= mine.count) {
      const std::uint32_t begin = done - buffered;
      const std::uint32_t left = mine.count - begin;
      finish_rows<Tile>(op, memory, mine.begin + begin, left < buffered ? left : buffered, tally);
      buffered = 0;
      prepare_rows(op, mine, done, tally);
    }
  }
  op.close(tally, memory.partial[0]);
}

/// Grid: any number of blocks. Dynamic shared memory: ring.stages · ring.stage_bytes.
template <class Tile, class Operator>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks_of_registers)
    row_products(const __grid_constant__ Operator op, const __grid_constant__ row_plan plan,
                 const __grid_constant__ ring_shape ring) {
  extern __shared__ __align__(128) std::byte stages[];
  __shared__ block_memory<Tile> memory;
  allow_next_kernel();
  const owned_rows mine = rows_of_block(plan.mine);
  if (threadIdx.x >= Tile::consumers)
    produce<Tile>(plan, mine, ring, stages, memory);
  else
    consume<Tile>(op, mine, ring, plan.mine.row_bytes, stages, memory);
}

}  // namespace assay::ops::cuda
