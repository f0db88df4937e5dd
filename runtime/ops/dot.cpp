// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Built with -fassociative-math (CMakeLists.txt): a sum may be split over vector lanes. Nothing
// here depends on an order of additions, and nothing whose exactness does may move here.
#include "runtime/ops/dot.h"

#include <bit>

namespace assay::ops {
namespace {

// The types of a stored weight, each with its widening to f32.
struct stored_bf16 {
  using element = std::uint16_t;
  static float value(element bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

struct stored_f16 {
  using element = std::uint16_t;
  // Exponent and mantissa moved to their f32 places read as 2^-112 of the value, subnormals too.
  // Infinity and NaN would come out finite: a checkpoint that has them is refused when opened.
  static float value(element bits) {
    const auto wide = static_cast<std::uint32_t>(bits);
    const float magnitude = std::bit_cast<float>((wide & 0x7fffU) << 13) * 0x1p112F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (wide & 0x8000U) << 16);
  }
};

struct stored_f32 {
  using element = float;
  static float value(element stored) { return stored; }
};

template <class Stored>
[[gnu::always_inline]] inline void dot_quad_of(const row_quad& rows, const float* x,
                                               std::size_t columns, std::array<float, 4>& out) {
  using element = typename Stored::element;
  const auto* r0 = reinterpret_cast<const element*>(rows[0]);
  const auto* r1 = reinterpret_cast<const element*>(rows[1]);
  const auto* r2 = reinterpret_cast<const element*>(rows[2]);
  const auto* r3 = reinterpret_cast<const element*>(rows[3]);
  float s0 = 0.0F;
  float s1 = 0.0F;
  float s2 = 0.0F;
  float s3 = 0.0F;
  for (std::size_t k = 0; k < columns; ++k) {
    const float v = x[k];
    s0 += Stored::value(r0[k]) * v;
    s1 += Stored::value(r1[k]) * v;
    s2 += Stored::value(r2[k]) * v;
    s3 += Stored::value(r3[k]) * v;
  }
  out = {s0, s1, s2, s3};
}

template <class Stored>
[[gnu::always_inline]] inline void widen_of(const std::byte* row, std::size_t columns, float* out) {
  const auto* from = reinterpret_cast<const typename Stored::element*>(row);
  for (std::size_t k = 0; k < columns; ++k) out[k] = Stored::value(from[k]);
}

}  // namespace

ASSAY_CLONES void dot_quad(checkpoint::dtype type, const row_quad& rows, const float* x,
                           std::size_t columns, std::array<float, 4>& out) {
  switch (type) {
    case checkpoint::dtype::bf16:
      return dot_quad_of<stored_bf16>(rows, x, columns, out);
    case checkpoint::dtype::f16:
      return dot_quad_of<stored_f16>(rows, x, columns, out);
    case checkpoint::dtype::f32:
      return dot_quad_of<stored_f32>(rows, x, columns, out);
  }
}

ASSAY_CLONES void dot_quad_pair(const std::array<const float*, 4>& rows, const float* x0,
                                const float* x1, std::size_t columns,
                                std::array<std::array<float, 4>, 2>& out) {
  const float* r0 = rows[0];
  const float* r1 = rows[1];
  const float* r2 = rows[2];
  const float* r3 = rows[3];
  float a0 = 0.0F;
  float a1 = 0.0F;
  float a2 = 0.0F;
  float a3 = 0.0F;
  float b0 = 0.0F;
  float b1 = 0.0F;
  float b2 = 0.0F;
  float b3 = 0.0F;
  for (std::size_t k = 0; k < columns; ++k) {
    const float u = x0[k];
    const float v = x1[k];
    a0 += r0[k] * u;
    a1 += r1[k] * u;
    a2 += r2[k] * u;
    a3 += r3[k] * u;
    b0 += r0[k] * v;
    b1 += r1[k] * v;
    b2 += r2[k] * v;
    b3 += r3[k] * v;
  }
  out = {{{a0, a1, a2, a3}, {b0, b1, b2, b3}}};
}

ASSAY_CLONES void add_weighted_quad(const std::array<const float*, 4>& rows,
                                    const std::array<float, 4>& shares, std::size_t columns,
                                    float* __restrict out) {
  const float* r0 = rows[0];
  const float* r1 = rows[1];
  const float* r2 = rows[2];
  const float* r3 = rows[3];
  for (std::size_t k = 0; k < columns; ++k)
    out[k] += (shares[0] * r0[k] + shares[1] * r1[k]) + (shares[2] * r2[k] + shares[3] * r3[k]);
}

ASSAY_CLONES void widen(checkpoint::dtype type, const std::byte* row, std::size_t columns,
                        float* __restrict out) {
  switch (type) {
    case checkpoint::dtype::bf16:
      return widen_of<stored_bf16>(row, columns, out);
    case checkpoint::dtype::f16:
      return widen_of<stored_f16>(row, columns, out);
    case checkpoint::dtype::f32:
      return widen_of<stored_f32>(row, columns, out);
  }
}

ASSAY_CLONES float sum_of_squares(const float* x, std::size_t count) {
  float sum = 0.0F;
  for (std::size_t i = 0; i < count; ++i) sum += x[i] * x[i];
  return sum;
}

}  // namespace assay::ops
