// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Sixteen bytes of a weight row as f32 values, and back.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace assay::ops::cuda {

/// Values of type T in the widest load that a thread has.
template <class T>
inline constexpr int vector_values = 16 / static_cast<int>(sizeof(T));

template <class T>
__device__ __forceinline__ void widen(const uint4& packed, float (&out)[vector_values<T>]);

// bf16 is the upper half of an f32: a shift and a mask, no conversion instruction.
template <>
__device__ __forceinline__ void widen<__nv_bfloat16>(const uint4& packed, float (&out)[8]) {
  const std::uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    out[2 * i] = __uint_as_float(words[i] << 16);
    out[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000U);
  }
}

template <>
__device__ __forceinline__ void widen<__half>(const uint4& packed, float (&out)[8]) {
  const std::uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 pair = __half22float2(*reinterpret_cast<const __half2*>(&words[i]));
    out[2 * i] = pair.x;
    out[2 * i + 1] = pair.y;
  }
}

template <>
__device__ __forceinline__ void widen<float>(const uint4& packed, float (&out)[4]) {
  out[0] = __uint_as_float(packed.x);
  out[1] = __uint_as_float(packed.y);
  out[2] = __uint_as_float(packed.z);
  out[3] = __uint_as_float(packed.w);
}

template <class T>
__device__ __forceinline__ T narrowed(float value);
template <>
__device__ __forceinline__ __nv_bfloat16 narrowed<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}
template <>
__device__ __forceinline__ __half narrowed<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __forceinline__ float narrowed<float>(float value) {
  return value;
}

/// Rounds to T: what a cache of T keeps of a value.
template <class T>
__device__ __forceinline__ uint4 narrow(const float (&values)[vector_values<T>]) {
  alignas(16) T packed[vector_values<T>];
#pragma unroll
  for (int i = 0; i < vector_values<T>; ++i) packed[i] = narrowed<T>(values[i]);
  return *reinterpret_cast<const uint4*>(packed);
}

template <class T>
__device__ __forceinline__ float widened(T value) {
  return static_cast<float>(value);
}

/// Activations are read past L1: a line of it may be older than the kernel that wrote the value,
/// where two kernels overlap on a multiprocessor.
template <int Count>
__device__ __forceinline__ void load_activations(const float* from, float (&out)[Count]) {
  static_assert(Count % 4 == 0);
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    const float4 four = __ldcg(reinterpret_cast<const float4*>(from + i));
    out[i] = four.x;
    out[i + 1] = four.y;
    out[i + 2] = four.z;
    out[i + 3] = four.w;
  }
}

}  // namespace assay::ops::cuda
