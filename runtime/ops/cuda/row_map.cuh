// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where the rows of a projection lie.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::ops::cuda {

/// Rows of up to three matrices one after the other, or of two by turns.
struct row_map {
  const std::byte* base[3] = {nullptr, nullptr, nullptr};
  std::uint32_t begin[3] = {0, 0xffffffffU, 0xffffffffU};  ///< first row of each
  std::uint32_t rows = 0;
  std::uint32_t row_bytes = 0;
  std::uint32_t unit = 1;  ///< rows that stay in one block; 2: base[0] and base[1] by turns

  __device__ const std::byte* row(std::uint32_t index) const {
    if (unit == 2) return base[index & 1U] + std::size_t{index / 2} * row_bytes;
    const int part = index < begin[1] ? 0 : index < begin[2] ? 1 : 2;
    return base[part] + std::size_t{index - begin[part]} * row_bytes;
  }
};

struct owned_rows {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

/// Rows of this block: runs that differ by at most one unit.
__device__ __forceinline__ owned_rows rows_of_block(const row_map& map) {
  const std::uint64_t units = map.rows / map.unit;
  const auto begin = static_cast<std::uint32_t>(units * blockIdx.x / gridDim.x);
  const auto end = static_cast<std::uint32_t>(units * (blockIdx.x + 1) / gridDim.x);
  return {begin * map.unit, (end - begin) * map.unit};
}

}  // namespace assay::ops::cuda
