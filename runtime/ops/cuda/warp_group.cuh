// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Products that a group of four warps makes together, out of shared memory. PTX ISA 8.0, sm_90a:
// wgmma.mma_async, with matrices whose rows of 128 bytes lie in the 128-byte swizzle: the 16-byte
// piece p of row r at p exclusive-or r % 8, eight rows the unit, which begins at multiples of 1024.
//
// Of 64 rows warp w has 16 w … 16 w + 15, each lane as tensor_core.cuh has it of a 16-row tile.
// What a product reads or adds to may not be touched between its issue and wait_for_products.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace assay::ops::cuda {

inline constexpr std::uint32_t swizzled_row_bytes = 128;
inline constexpr std::uint32_t swizzle_unit_bytes = 1024;

/// Where a 16-byte piece of a row lies in a matrix of `Rows` rows: blocks of 64 columns one after
/// the other, each with all rows.
template <int Rows>
__device__ __forceinline__ std::uint32_t swizzled_offset(int row, int piece) {
  return static_cast<std::uint32_t>(piece / 8 * Rows + row) * swizzled_row_bytes +
         static_cast<std::uint32_t>(piece % 8 ^ row % 8) * 16;
}

/// A matrix as a product reads it. `leading_bytes` counts where columns are what is summed over
/// rows of: from one block of 64 columns to the next.
__device__ __forceinline__ std::uint64_t matrix_at(std::uint32_t shared_at,
                                                   std::uint32_t leading_bytes) {
  constexpr std::uint64_t swizzle_of_128_bytes = std::uint64_t{1} << 62;
  return std::uint64_t{(shared_at & 0x3ffffU) >> 4} | std::uint64_t{leading_bytes >> 4} << 16 |
         std::uint64_t{swizzle_unit_bytes >> 4} << 32 | swizzle_of_128_bytes;
}
/// The same matrix from so many bytes on.
__device__ __forceinline__ std::uint64_t moved(std::uint64_t matrix, std::uint32_t bytes) {
  return matrix + (bytes >> 4);
}

/// Registers that a product reads or adds to were written: it may be issued from here on.
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void close_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most `Open` of this group's closed products are under way.
template <int Open = 0>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Open) : "memory");
}
/// A group whose threads need few registers leaves the others to those that need many. Each thread
/// of a block of several groups gives or takes, once; together no more than there were.
template <int Count>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}
/// What this thread copied to shared memory is there for products after the next barrier.
__device__ __forceinline__ void show_copies_to_products() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// The compiler may not move what uses the values across this.
template <int Count>
__device__ __forceinline__ void hold(float (&c)[Count][4]) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) asm volatile("" : "+f"(c[i][j])::"memory");
}
template <int Count>
__device__ __forceinline__ void hold(std::uint32_t (&a)[Count][4]) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) asm volatile("" : "+r"(a[i][j])::"memory");
}

#define ASSAY_FOUR(c_) "+f"((c_)[0]), "+f"((c_)[1]), "+f"((c_)[2]), "+f"((c_)[3])

/// c (64, 64 or 128) = a (64, 16) · bᵀ, b (as many, 16), both in shared memory, rows one after the
/// other; added to c where `is_added`.
template <class T>
__device__ __forceinline__ void multiply_shared(float (&c)[16][4], std::uint64_t a, std::uint64_t b,
                                                bool is_added);
template <>
__device__ __forceinline__ void multiply_shared<__nv_bfloat16>(float (&c)[16][4], std::uint64_t a,
                                                               std::uint64_t b, bool is_added) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %66, 0; "
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
      " %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
      " %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35,"
      " %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59,"
      " %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;}"
      : ASSAY_FOUR(c[0]), ASSAY_FOUR(c[1]), ASSAY_FOUR(c[2]), ASSAY_FOUR(c[3]), ASSAY_FOUR(c[4]),
        ASSAY_FOUR(c[5]), ASSAY_FOUR(c[6]), ASSAY_FOUR(c[7]), ASSAY_FOUR(c[8]), ASSAY_FOUR(c[9]),
        ASSAY_FOUR(c[10]), ASSAY_FOUR(c[11]), ASSAY_FOUR(c[12]), ASSAY_FOUR(c[13]),
        ASSAY_FOUR(c[14]), ASSAY_FOUR(c[15])
      : "l"(a), "l"(b), "r"(is_added ? 1 : 0));
}
template <>
__device__ __forceinline__ void multiply_shared<__half>(float (&c)[16][4], std::uint64_t a,
                                                        std::uint64_t b, bool is_added) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %66, 0; "
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
      " %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
      " %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35,"
      " %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59,"
      " %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;}"
      : ASSAY_FOUR(c[0]), ASSAY_FOUR(c[1]), ASSAY_FOUR(c[2]), ASSAY_FOUR(c[3]), ASSAY_FOUR(c[4]),
        ASSAY_FOUR(c[5]), ASSAY_FOUR(c[6]), ASSAY_FOUR(c[7]), ASSAY_FOUR(c[8]), ASSAY_FOUR(c[9]),
        ASSAY_FOUR(c[10]), ASSAY_FOUR(c[11]), ASSAY_FOUR(c[12]), ASSAY_FOUR(c[13]),
        ASSAY_FOUR(c[14]), ASSAY_FOUR(c[15])
      : "l"(a), "l"(b), "r"(is_added ? 1 : 0));
}

/// c (64, 64 or 128) += a (64, 16), in registers, · b (16, as many), in shared memory, rows one
/// after the other.
template <class T>
__device__ __forceinline__ void add_product(float (&c)[8][4], const std::uint32_t (&a)[4],
                                            std::uint64_t b);
template <class T>
__device__ __forceinline__ void add_product(float (&c)[16][4], const std::uint32_t (&a)[4],
                                            std::uint64_t b);
template <>
__device__ __forceinline__ void add_product<__nv_bfloat16>(float (&c)[8][4],
                                                           const std::uint32_t (&a)[4],
                                                           std::uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %37, 0; "
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
      " %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
      " %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, p, 1, 1, 1;}"
      : ASSAY_FOUR(c[0]), ASSAY_FOUR(c[1]), ASSAY_FOUR(c[2]), ASSAY_FOUR(c[3]), ASSAY_FOUR(c[4]),
        ASSAY_FOUR(c[5]), ASSAY_FOUR(c[6]), ASSAY_FOUR(c[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}
template <>
__device__ __forceinline__ void add_product<__half>(float (&c)[8][4], const std::uint32_t (&a)[4],
                                                    std::uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %37, 0; "
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
      " %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
      " %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, p, 1, 1, 1;}"
      : ASSAY_FOUR(c[0]), ASSAY_FOUR(c[1]), ASSAY_FOUR(c[2]), ASSAY_FOUR(c[3]), ASSAY_FOUR(c[4]),
        ASSAY_FOUR(c[5]), ASSAY_FOUR(c[6]), ASSAY_FOUR(c[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}
template <>
__device__ __forceinline__ void add_product<__nv_bfloat16>(float (&c)[16][4],
                                                           const std::uint32_t (&a)[4],
                                                           std::uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %69, 0; "
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
      " %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
      " %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35,"
      " %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59,"
      " %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, p, 1, 1, 1;}"
      : ASSAY_FOUR(c[0]), ASSAY_FOUR(c[1]), ASSAY_FOUR(c[2]), ASSAY_FOUR(c[3]), ASSAY_FOUR(c[4]),
        ASSAY_FOUR(c[5]), ASSAY_FOUR(c[6]), ASSAY_FOUR(c[7]), ASSAY_FOUR(c[8]), ASSAY_FOUR(c[9]),
        ASSAY_FOUR(c[10]), ASSAY_FOUR(c[11]), ASSAY_FOUR(c[12]), ASSAY_FOUR(c[13]),
        ASSAY_FOUR(c[14]), ASSAY_FOUR(c[15])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}
template <>
__device__ __forceinline__ void add_product<__half>(float (&c)[16][4], const std::uint32_t (&a)[4],
                                                    std::uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %69, 0; "
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
      " %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
      " %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35,"
      " %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59,"
      " %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, p, 1, 1, 1;}"
      : ASSAY_FOUR(c[0]), ASSAY_FOUR(c[1]), ASSAY_FOUR(c[2]), ASSAY_FOUR(c[3]), ASSAY_FOUR(c[4]),
        ASSAY_FOUR(c[5]), ASSAY_FOUR(c[6]), ASSAY_FOUR(c[7]), ASSAY_FOUR(c[8]), ASSAY_FOUR(c[9]),
        ASSAY_FOUR(c[10]), ASSAY_FOUR(c[11]), ASSAY_FOUR(c[12]), ASSAY_FOUR(c[13]),
        ASSAY_FOUR(c[14]), ASSAY_FOUR(c[15])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}

#undef ASSAY_FOUR

}  // namespace assay::ops::cuda
