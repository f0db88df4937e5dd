// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Queries and cached rows of attention over many tokens, as the engine that copies tiles knows
// them. Private to this room.
#pragma once

#include <cstdint>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "runtime/ops/cuda/prefill_kernels.h"

namespace assay::ops::cuda {

/// Boxes of 64 columns, their rows in the 128-byte swizzle.
struct context_maps {
  CUtensorMap queries;  ///< (tokens, all heads' columns); 128 rows a box, zero after the last token
  CUtensorMap rows;  ///< (pages · kv_heads · 2, page_tokens, head_dim); `box_rows` of one plane
  std::uint32_t box_rows = 0;
  std::uint32_t page_shift = 0;  ///< page_tokens is two to this
};

/// Whether pages can be copied by boxes: a swizzle unit is eight rows, a tile whole boxes.
constexpr bool has_context_maps(std::uint32_t page_tokens) {
  return page_tokens >= 8 && (page_tokens & (page_tokens - 1)) == 0;
}

/// Rows of keys, or of values, that are copied together.
inline constexpr int context_tile_keys = 128;

/// For elements of 2 bytes, where has_context_maps; head_dim is a multiple of 64. On the host,
/// without a call of the device: about as long as a launch.
/// Errors: the driver's own code, which the runtime knows by the same number; cudaErrorNotSupported
/// where it has no such maps.
cudaError_t make_context_maps(const pass_site& site, const attend_rows_arguments& arguments,
                              context_maps& maps);

}  // namespace assay::ops::cuda
