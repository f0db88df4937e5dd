// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Tensor cores and the copies that feed them, a warp at a time. PTX ISA 8.0: mma.sync.m16n8k16,
// ldmatrix, cp.async.
//
// Fragments, for lane l with group g = l / 4 and pair t = 2 · (l % 4), two values a register:
//   a (16 × 16): rows g and g + 8 by columns t and t + 8, in the order (g, t) (g + 8, t) (g, t + 8)
//                (g + 8, t + 8)
//   b (16 × 8):  rows t and t + 8 of column g
//   c (16 × 8):  f32; row g, columns t and t + 1, then row g + 8
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "runtime/ops/cuda/pipeline.cuh"

namespace assay::ops::cuda {

/// c += a · b.
template <class T>
__device__ __forceinline__ void multiply_tile(float (&c)[4], const std::uint32_t (&a)[4],
                                              std::uint32_t b0, std::uint32_t b1);
template <>
__device__ __forceinline__ void multiply_tile<__nv_bfloat16>(float (&c)[4],
                                                             const std::uint32_t (&a)[4],
                                                             std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ __forceinline__ void multiply_tile<__half>(float (&c)[4], const std::uint32_t (&a)[4],
                                                      std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Four 8 × 8 tiles of 2-byte values; lane l gives the address of row l % 8 of tile l / 8. A lane
/// gets of each tile row l / 4, columns t and t + 1.
__device__ __forceinline__ void load_tiles(std::uint32_t (&to)[4], std::uint32_t shared_at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_at)
               : "memory");
}
/// The same of the transposed tiles: column l / 4, rows t and t + 1.
__device__ __forceinline__ void load_turned_tiles(std::uint32_t (&to)[4], std::uint32_t shared_at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_at)
               : "memory");
}

/// Copies 16 bytes to shared memory, or 16 zero bytes where there is nothing to copy.
__device__ __forceinline__ void copy_or_zero(std::uint32_t shared_at, const void* from,
                                             bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_at),
               "l"(__cvta_generic_to_global(from)), "r"(is_there ? 16 : 0)
               : "memory");
}
__device__ __forceinline__ void close_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most `Open` of this thread's closed groups are under way.
template <int Open>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Open) : "memory");
}

/// 2^x, by the unit for it; below 2^-126 it is 0.
__device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Two values as a register of a fragment holds them: the first in the lower half.
template <class T>
__device__ __forceinline__ std::uint32_t packed_pair(float first, float second);
template <>
__device__ __forceinline__ std::uint32_t packed_pair<__nv_bfloat16>(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
template <>
__device__ __forceinline__ std::uint32_t packed_pair<__half>(float first, float second) {
  const __half2 pair = __floats2half2_rn(first, second);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

}  // namespace assay::ops::cuda
