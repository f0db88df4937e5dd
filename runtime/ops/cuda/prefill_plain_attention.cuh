// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Attention of many tokens the plain way, for f32: no tensor core multiplies f32 without rounding
// it first. A warp has one head of one token.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ops/cuda/pipeline.cuh"
#include "runtime/ops/cuda/prefill_kernels.h"
#include "runtime/ops/cuda/row_tile.cuh"

namespace assay::ops::cuda {

inline constexpr int plain_warps = 8;  ///< of a block

__device__ __forceinline__ float warp_maximum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, offset));
  return value;
}

/// Row `token` of the keys (0) or values (1).
template <int HeadDim>
__device__ __forceinline__ const float* cached_row(const attend_rows_arguments& a,
                                                   std::uint32_t kv_head, std::uint32_t token,
                                                   int which) {
  const std::size_t page = a.table[token / a.page_tokens];
  const std::size_t head_rows = ((page * a.kv_heads + kv_head) * 2 + which) * a.page_tokens;
  return static_cast<const float*>(a.pages) + (head_rows + token % a.page_tokens) * HeadDim;
}

/// Grid: (tokens, blocks of 8 heads).
template <int HeadDim>
__global__ void __launch_bounds__(plain_warps * 32)
    attend_plainly_kernel(const __grid_constant__ attend_rows_arguments a, std::uint32_t first) {
  constexpr int owned = (HeadDim + 31) / 32;  // columns of the result a lane
  __shared__ float queries[plain_warps][HeadDim];
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t head = blockIdx.y * plain_warps + warp;
  if (head >= a.heads) return;
  const std::uint32_t kv_head = head / (a.heads / a.kv_heads);
  const std::uint32_t position = first + blockIdx.x;
  const float* q = static_cast<const float*>(a.qkv) +
                   (std::size_t{blockIdx.x} * (a.heads + 2 * a.kv_heads) + head) * HeadDim;
  wait_for_previous_kernel();
  for (std::uint32_t d = lane; d < HeadDim; d += 32) queries[warp][d] = q[d];
  __syncwarp();
  const float scale = rsqrtf(static_cast<float>(HeadDim));
  float maximum = -INFINITY;
  float sum = 0.0F;
  float mixed[owned] = {};
  for (std::uint32_t base = 0; base <= position; base += 32) {
    const std::uint32_t count = position - base < 31 ? position - base + 1 : 32;
    float score = -INFINITY;
    if (lane < count) {
      const float* key = cached_row<HeadDim>(a, kv_head, base + lane, 0);
      float dot = 0.0F;
      for (int d = 0; d < HeadDim; ++d) dot = fmaf(queries[warp][d], key[d], dot);
      score = dot * scale;
    }
    const float most = fmaxf(maximum, warp_maximum(score));
    const float shrink = expf(maximum - most);
    maximum = most;
    const float weight = expf(score - most);
    sum = sum * shrink + warp_sum(weight);
#pragma unroll
    for (int i = 0; i < owned; ++i) mixed[i] *= shrink;
    for (std::uint32_t j = 0; j < count; ++j) {
      const float share = __shfl_sync(0xffffffffU, weight, static_cast<int>(j));
      const float* value = cached_row<HeadDim>(a, kv_head, base + j, 1);
#pragma unroll
      for (int i = 0; i < owned; ++i)
        if (const std::uint32_t d = lane + i * 32; d < HeadDim)
          mixed[i] = fmaf(share, value[d], mixed[i]);
    }
  }
  float* out = static_cast<float*>(a.out) + (std::size_t{blockIdx.x} * a.heads + head) * HeadDim;
#pragma unroll
  for (int i = 0; i < owned; ++i)
    if (const std::uint32_t d = lane + i * 32; d < HeadDim) out[d] = mixed[i] / sum;
}

}  // namespace assay::ops::cuda
