// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Tiles of a sequence's pages in shared memory, copied by the engine that knows tensors: no thread
// forms an address or keeps a register for a row, and the table's look-ups wait for no copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/context_maps.h"
#include "runtime/ops/cuda/pipeline.cuh"
#include "runtime/ops/cuda/warp_group.cuh"

namespace assay::ops::cuda {

/// 64 columns from `column` on, rows from `row` on.
__device__ __forceinline__ void copy_box(std::uint32_t to, const CUtensorMap& map,
                                         std::uint32_t column, std::uint32_t row,
                                         std::uint64_t* completes) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(completes))
      : "memory");
}
__device__ __forceinline__ void copy_box(std::uint32_t to, const CUtensorMap& map,
                                         std::uint32_t column, std::uint32_t row,
                                         std::uint32_t plane, std::uint64_t* completes) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(plane), "r"(shared_address(completes))
      : "memory");
}

/// Copies one head's keys, or its values, `TileKeys` rows at a time; for one warp, whole.
template <int HeadDim, int TileKeys>
class tile_copier {
 public:
  static constexpr std::uint32_t column_blocks = HeadDim / 64;
  static constexpr std::uint32_t block_bytes = TileKeys * swizzled_row_bytes;

  /// `which`: 0 keys, 1 values. Rows from `end` on are not there.
  __device__ tile_copier(const context_maps& maps, const attend_rows_arguments& a,
                         std::uint32_t kv_head, std::uint32_t which, std::uint32_t end)
      : maps_(maps),
        table_(a.table),
        shift_(maps.page_shift),
        in_page_(a.page_tokens - 1),
        planes_(a.kv_heads * 2),
        plane_(kv_head * 2 + which),
        end_(end) {}

  /// A lane's page of the tile: asked for a tile ahead, so that nobody waits for it.
  __device__ std::uint32_t page_of(std::uint32_t first_key) const {
    const std::uint32_t ahead = threadIdx.x % 32 * maps_.box_rows;
    const std::uint32_t token = first_key + ahead;
    return ahead < TileKeys && token < end_ ? table_[token >> shift_] : 0;
  }
  /// Copies boxes with rows that are there, whole: what lies after the last row is anything.
  __device__ void copy(std::uint32_t first_key, std::uint32_t page, std::uint32_t to,
                       std::uint64_t* there) const {
    const std::uint32_t rows = min(end_ - first_key, static_cast<std::uint32_t>(TileKeys));
    const std::uint32_t boxes = (rows + maps_.box_rows - 1) / maps_.box_rows;
    const bool is_first = threadIdx.x % 32 == 0;
    if (is_first) barrier_expect(there, boxes * maps_.box_rows * HeadDim * 2);
    for (std::uint32_t i = 0; i < boxes; ++i) {
      const std::uint32_t plane = __shfl_sync(0xffffffffU, page, static_cast<int>(i)) * planes_;
      const std::uint32_t ahead = i * maps_.box_rows;
      if (!is_first) continue;
#pragma unroll
      for (std::uint32_t block = 0; block < column_blocks; ++block)
        copy_box(to + block * block_bytes + ahead * swizzled_row_bytes, maps_.rows, block * 64,
                 (first_key + ahead) & in_page_, plane + plane_, there);
    }
  }

 private:
  const context_maps& maps_;
  const std::uint32_t* table_;
  std::uint32_t shift_, in_page_, planes_, plane_, end_;
};

/// Zeroes rows of a tile from `first` on, for products after the next barrier: a weight of 0 times
/// no number is no number.
template <int HeadDim, int TileKeys>
__device__ __forceinline__ void clear_rows(std::byte* tile, std::uint32_t first,
                                           std::uint32_t thread, std::uint32_t threads) {
  constexpr std::uint32_t pieces = HeadDim / 8;
  for (std::uint32_t i = first * pieces + thread; i < TileKeys * pieces; i += threads)
    *reinterpret_cast<uint4*>(tile + swizzled_offset<TileKeys>(static_cast<int>(i / pieces),
                                                               static_cast<int>(i % pieces))) = {};
  show_copies_to_products();
}

}  // namespace assay::ops::cuda
