// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From an operator to a launch: the tile that covers its columns, and the ring that its share of
// rows fills.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/ops/cuda/decode_kernels.h"
#include "runtime/ops/cuda/once_a_device.h"
#include "runtime/ops/cuda/row_products.cuh"

namespace assay::ops::cuda {

/// Shared memory that one block may have on sm_90, less what it declares itself.
inline constexpr std::uint32_t most_ring_bytes = 227U * 1024 - 8U * 1024;

/// A multiprocessor changes the split between L1 and shared memory only when it is empty, which
/// would keep the next kernel out: all kernels of a step ask for the same split.
template <class Kernel>
cudaError_t allow_shared_memory(Kernel* kernel, std::uint32_t bytes) {
  cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(bytes));
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxShared);
  return error;
}

/// The edge to the kernel before, as launch_site wants it. Returns how many attributes it set.
inline unsigned set_edge(const launch_site& site, cudaLaunchAttribute* attribute) {
  if (site.is_first) return 0;
  attribute->id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute->val.programmaticStreamSerializationAllowed = 1;
  return 1;
}

template <class Tile, class Operator>
cudaError_t launch_tile(const launch_site& site, const Operator& op, const row_plan& plan) {
  constexpr auto kernel = &row_products<Tile, Operator>;
  static once_a_device told;
  const cudaError_t allowed =
      told.on_current([] { return allow_shared_memory(kernel, most_ring_bytes); });
  if (allowed != cudaSuccess) return allowed;
  const std::uint32_t stage_bytes = Tile::stage_rows * plan.mine.row_bytes;
  const std::uint32_t units = plan.mine.rows / Operator::unit;
  const std::uint32_t share = (units + site.blocks - 1) / site.blocks * Operator::unit;
  const std::uint32_t wanted = (share + Tile::stage_rows - 1) / Tile::stage_rows;
  std::uint32_t stages = std::max(2U, site.ring_bytes / stage_bytes);
  stages = std::min({stages, wanted, static_cast<std::uint32_t>(max_stages)});
  if (stages == 0 || stages * stage_bytes > most_ring_bytes) return cudaErrorInvalidValue;

  cudaLaunchAttribute edge{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(site.blocks);
  config.blockDim = dim3(Tile::threads);
  config.dynamicSmemBytes = stages * stage_bytes;
  config.stream = site.stream;
  config.attrs = &edge;
  config.numAttrs = set_edge(site, &edge);
  return cudaLaunchKernelEx(&config, kernel, op, plan, ring_shape{stages, stage_bytes});
}

inline row_map map_of(const upcoming_rows& rows) {
  row_map map;
  std::uint32_t first = 0;
  for (int i = 0; i < 3 && rows.at[i] != nullptr; ++i) {
    map.base[i] = static_cast<const std::byte*>(rows.at[i]);
    map.begin[i] = first;
    first += rows.rows[i];
  }
  map.rows = first;
  map.row_bytes = rows.row_bytes;
  map.unit = rows.is_by_turns ? 2 : 1;
  return map;
}

inline row_plan plan_of(const launch_site& site, const row_map& mine) {
  row_plan plan;
  plan.mine = mine;
  plan.next = map_of(site.next);
  const bool has_next = plan.next.rows > 0 && plan.next.row_bytes % 16 == 0;
  plan.prefetch_bytes = has_next ? site.prefetch_bytes : 0;
  return plan;
}

/// Tiles by columns, for 2-byte weights; 4-byte weights take twice the loads and half the rows.
/// `Share` divides the rows of a stage.
template <class Weight, int Share>
struct tiles {
  static constexpr int wide = sizeof(Weight) == 4 ? 2 : 1;
  static constexpr int rows_4k = 4 / wide / Share;
  using tile_1k = row_tile<Weight, 4, 1 * wide, 4 / Share, 4 / wide>;
  using tile_2k = row_tile<Weight, 8, 1 * wide, 2 / Share, 4 / wide>;
  using tile_4k = row_tile<Weight, 16, 1 * wide, 1, rows_4k>;
  using tile_8k = row_tile<Weight, 16, 2 * wide, 1, (rows_4k > 1 ? rows_4k / 2 : 1)>;
  using tile_16k = row_tile<Weight, 16, 4 * wide, 1, 1>;
};

template <class Tiles, class Operator>
cudaError_t launch_covering(const launch_site& site, const Operator& op, const row_plan& plan) {
  if (op.columns <= Tiles::tile_1k::columns)
    return launch_tile<typename Tiles::tile_1k>(site, op, plan);
  if (op.columns <= Tiles::tile_2k::columns)
    return launch_tile<typename Tiles::tile_2k>(site, op, plan);
  if (op.columns <= Tiles::tile_4k::columns)
    return launch_tile<typename Tiles::tile_4k>(site, op, plan);
  if (op.columns <= Tiles::tile_8k::columns)
    return launch_tile<typename Tiles::tile_8k>(site, op, plan);
  if (op.columns <= Tiles::tile_16k::columns)
    return launch_tile<typename Tiles::tile_16k>(site, op, plan);
  return cudaErrorInvalidValue;
}

template <class Weight, class Operator>
cudaError_t launch_rows(const launch_site& site, const Operator& op, const row_map& mine) {
  if (op.columns == 0 || mine.rows == 0 || mine.row_bytes % 16 != 0 || site.blocks == 0)
    return cudaErrorInvalidValue;
  const row_plan plan = plan_of(site, mine);
  // Two-byte weights alone have the choice: it is one of speed, and f32 is not decoded for speed.
  if constexpr (sizeof(Weight) == 2)
    if (site.has_short_stages) return launch_covering<tiles<Weight, 2>>(site, op, plan);
  return launch_covering<tiles<Weight, 1>>(site, op, plan);
}

}  // namespace assay::ops::cuda
