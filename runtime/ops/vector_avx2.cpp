// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/vector_sets.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "runtime/ops/stored_element.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace assay::ops {
namespace {

struct lanes {
  static constexpr std::size_t width = 8;
  static constexpr std::uint32_t most_tokens = 6;  // 12 sums, 2 weights and a token in 16 registers
  using reg = __m256;

  static reg zero() { return _mm256_setzero_ps(); }
  static reg set(float value) { return _mm256_set1_ps(value); }
  static reg load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, reg value) { _mm256_storeu_ps(to, value); }
  static reg add(reg a, reg b) { return _mm256_add_ps(a, b); }
  static reg multiply_add(reg a, reg b, reg c) { return _mm256_fmadd_ps(a, b, c); }

  static __m256i wide(const void* from) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(from)));
  }
  static reg widen(const float* from) { return load(from); }
  static reg widen(const stored_bf16* from) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide(from), 16));
  }
  // As widened() in stored_element.h does it.
  static reg widen(const stored_f16* from) {
    const __m256i bits = wide(from);
    const __m256i moved = _mm256_slli_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x7fff)), 13);
    const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x8000)), 16);
    const reg magnitude = _mm256_mul_ps(_mm256_castsi256_ps(moved), _mm256_set1_ps(0x1p112F));
    return _mm256_or_ps(magnitude, _mm256_castsi256_ps(sign));
  }

  static reg load_pairs(const stored_bf16* from) {
    return _mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static reg first_of_pairs(reg pairs) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(pairs), 16));
  }
  static reg second_of_pairs(reg pairs) {
    const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000U));
    return _mm256_castsi256_ps(_mm256_and_si256(_mm256_castps_si256(pairs), upper));
  }

  static void sum_quad(reg a, reg b, reg c, reg d, float* out) {
    const reg all = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));
  }

  static void transpose(reg (&m)[width]) {
    reg t[width];
    for (std::size_t i = 0; i < width; i += 2) {
      t[i] = _mm256_unpacklo_ps(m[i], m[i + 1]);
      t[i + 1] = _mm256_unpackhi_ps(m[i], m[i + 1]);
    }
    for (std::size_t i = 0; i < width; i += 4) {
      m[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
      m[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
      m[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
      m[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const reg low = m[i];
      m[i] = _mm256_permute2f128_ps(low, m[i + 4], 0x20);
      m[i + 4] = _mm256_permute2f128_ps(low, m[i + 4], 0x31);
    }
  }
};

#include "runtime/ops/vector_loops.inc"

}  // namespace

const vector_kernels& avx2_kernels() noexcept {
  static constexpr vector_kernels set{dot_rows, fill_panel, multiply_panel, score_rows, mix_rows};
  return set;
}

}  // namespace assay::ops

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
