// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/vector_sets.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "runtime/ops/stored_element.h"

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes what its own header leaves undefined on purpose for an oversight.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
#endif

namespace assay::ops {
namespace {

struct lanes {
  static constexpr std::size_t width = 16;
  static constexpr std::uint32_t most_tokens =
      12;  // 24 sums, 2 weights and a token in 32 registers
  using reg = __m512;

  static reg zero() { return _mm512_setzero_ps(); }
  static reg set(float value) { return _mm512_set1_ps(value); }
  static reg load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, reg value) { _mm512_storeu_ps(to, value); }
  static reg add(reg a, reg b) { return _mm512_add_ps(a, b); }
  static reg multiply_add(reg a, reg b, reg c) { return _mm512_fmadd_ps(a, b, c); }

  static reg widen(const float* from) { return load(from); }
  static reg widen(const stored_bf16* from) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }
  static reg widen(const stored_f16* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }

  static reg load_pairs(const stored_bf16* from) { return _mm512_loadu_ps(from); }
  static reg first_of_pairs(reg pairs) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(pairs), 16));
  }
  static reg second_of_pairs(reg pairs) {
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(pairs), upper));
  }

  static __m512d pd(reg a) { return _mm512_castps_pd(a); }
  static __m256 halved(reg a) {
    return _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  }
  static void sum_quad(reg a, reg b, reg c, reg d, float* out) {
    const __m256 ab = _mm256_hadd_ps(halved(a), halved(b));
    const __m256 cd = _mm256_hadd_ps(halved(c), halved(d));
    const __m256 all = _mm256_hadd_ps(ab, cd);
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));
  }

  // Pairs of rows, pairs of pairs, then the four 128-bit parts twice.
  static void transpose(reg (&m)[width]) {
    reg t[width];
    for (std::size_t i = 0; i < width; i += 2) {
      t[i] = _mm512_unpacklo_ps(m[i], m[i + 1]);
      t[i + 1] = _mm512_unpackhi_ps(m[i], m[i + 1]);
    }
    for (std::size_t i = 0; i < width; i += 4) {
      m[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(pd(t[i]), pd(t[i + 2])));
      m[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(pd(t[i]), pd(t[i + 2])));
      m[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(pd(t[i + 1]), pd(t[i + 3])));
      m[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(pd(t[i + 1]), pd(t[i + 3])));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      t[i] = _mm512_shuffle_f32x4(m[i], m[i + 4], 0x88);
      t[i + 4] = _mm512_shuffle_f32x4(m[i], m[i + 4], 0xdd);
      t[i + 8] = _mm512_shuffle_f32x4(m[i + 8], m[i + 12], 0x88);
      t[i + 12] = _mm512_shuffle_f32x4(m[i + 8], m[i + 12], 0xdd);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      m[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
      m[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
      m[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0x88);
      m[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0xdd);
    }
  }
};

#include "runtime/ops/vector_loops.inc"

}  // namespace

const vector_kernels& avx512_kernels() noexcept {
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
