// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Built with -fassociative-math (CMakeLists.txt): a sum may be split over vector lanes. Nothing
// here depends on an order of additions, and nothing whose exactness does may move here.
#include <algorithm>
#include <array>

#include "runtime/ops/stored_element.h"
#include "runtime/ops/vector_sets.h"

namespace assay::ops {
namespace {

template <class Element>
void dot_quad_of(const row_quad& rows, const float* x, std::size_t columns,
                 std::array<float, 4>& out) {
  const auto* r0 = reinterpret_cast<const Element*>(rows[0]);
  const auto* r1 = reinterpret_cast<const Element*>(rows[1]);
  const auto* r2 = reinterpret_cast<const Element*>(rows[2]);
  const auto* r3 = reinterpret_cast<const Element*>(rows[3]);
  float s0 = 0.0F;
  float s1 = 0.0F;
  float s2 = 0.0F;
  float s3 = 0.0F;
  for (std::size_t k = 0; k < columns; ++k) {
    const float v = x[k];
    s0 += widened(r0[k]) * v;
    s1 += widened(r1[k]) * v;
    s2 += widened(r2[k]) * v;
    s3 += widened(r3[k]) * v;
  }
  out = {s0, s1, s2, s3};
}

void dot_quad(checkpoint::dtype type, const row_quad& rows, const float* x, std::size_t columns,
              std::array<float, 4>& out) {
  switch (type) {
    case checkpoint::dtype::bf16:
      return dot_quad_of<stored_bf16>(rows, x, columns, out);
    case checkpoint::dtype::f16:
      return dot_quad_of<stored_f16>(rows, x, columns, out);
    case checkpoint::dtype::f32:
      return dot_quad_of<float>(rows, x, columns, out);
  }
}

template <class Element>
void fill_panel_of(const std::byte* first, std::size_t row_bytes, std::uint32_t rows,
                   std::uint32_t columns, weight_panel& to) {
  for (std::uint32_t lane = 0; lane < panel_lanes; ++lane) {
    const auto* row = reinterpret_cast<const Element*>(first + lane * row_bytes);
    for (std::uint32_t k = 0; k < columns; ++k)
      to.values[k][lane] = lane < rows ? widened(row[k]) : 0.0F;
  }
}

void fill_panel(checkpoint::dtype type, const std::byte* first, std::size_t row_bytes,
                std::uint32_t rows, std::uint32_t columns, weight_panel& to) {
  switch (type) {
    case checkpoint::dtype::bf16:
      return fill_panel_of<stored_bf16>(first, row_bytes, rows, columns, to);
    case checkpoint::dtype::f16:
      return fill_panel_of<stored_f16>(first, row_bytes, rows, columns, to);
    case checkpoint::dtype::f32:
      return fill_panel_of<float>(first, row_bytes, rows, columns, to);
  }
}

// Two tokens at a time: their sums are what the sixteen registers of the baseline hold.
constexpr std::uint32_t step_lanes = 16;

using step_sums = std::array<std::array<float, step_lanes>, 2>;

// By value: sums that something else might point to would go to memory at each column.
step_sums multiply_step(const weight_panel& weights, const float* x0, const float* x1,
                        std::uint32_t columns, std::uint32_t lane) {
  step_sums sums{};
  for (std::uint32_t k = 0; k < columns; ++k) {
    const float* weight = weights.values[k].data() + lane;
    for (std::uint32_t i = 0; i < step_lanes; ++i) sums[0][i] += weight[i] * x0[k];
    for (std::uint32_t i = 0; i < step_lanes; ++i) sums[1][i] += weight[i] * x1[k];
  }
  return sums;
}

void multiply_panel(const weight_panel& weights, const token_tile& x, std::uint32_t columns,
                    const panel_target& to) {
  for (std::uint32_t lane = 0; lane < to.lanes; lane += step_lanes)
    for (std::uint32_t t = 0; t < to.tokens; t += 2) {
      const std::uint32_t pair = std::min(to.tokens - t, 2U);
      const step_sums sums =
          multiply_step(weights, x.values[t].data(), x.values[t + pair - 1].data(), columns, lane);
      for (std::uint32_t j = 0; j < pair; ++j) {
        float* out = to.out + (t + j) * to.stride + lane;
        for (std::uint32_t i = 0; i < std::min(step_lanes, to.lanes - lane); ++i)
          out[i] = to.is_sum ? out[i] + sums[j][i] : sums[j][i];
      }
    }
}

void score_rows(const page_rows& keys, const float* q, std::uint32_t heads, std::uint32_t columns,
                float scale, float* scores, std::size_t scores_stride) {
  for (std::uint32_t i = 0; i < keys.count; ++i) {
    const float* row = keys.rows + i * keys.stride;
    for (std::uint32_t h = 0; h < heads; ++h) {
      const float* head = q + h * columns;
      float sum = 0.0F;
      for (std::uint32_t k = 0; k < columns; ++k) sum += row[k] * head[k];
      scores[h * scores_stride + i] = sum * scale;
    }
  }
}

// Some columns of one head over all rows.
constexpr std::uint32_t mixed_columns = 16;

void mix_columns(const page_rows& values, const float* shares, std::uint32_t count, float* out) {
  std::array<float, mixed_columns> sums{};
  for (std::uint32_t i = 0; i < values.count; ++i) {
    const float* row = values.rows + i * values.stride;
    if (count == mixed_columns)
      for (std::uint32_t k = 0; k < mixed_columns; ++k) sums[k] += shares[i] * row[k];
    else
      for (std::uint32_t k = 0; k < count; ++k) sums[k] += shares[i] * row[k];
  }
  for (std::uint32_t k = 0; k < count; ++k) out[k] += sums[k];
}

void mix_rows(const page_rows& values, const float* shares, std::size_t shares_stride,
              std::uint32_t heads, std::uint32_t columns, float* out) {
  for (std::uint32_t h = 0; h < heads; ++h)
    for (std::uint32_t k = 0; k < columns; k += mixed_columns)
      mix_columns({values.rows + k, values.stride, values.count}, shares + h * shares_stride,
                  std::min(mixed_columns, columns - k), out + h * columns + k);
}

}  // namespace

const vector_kernels& portable_kernels() noexcept {
  static constexpr vector_kernels set{dot_quad, fill_panel, multiply_panel, score_rows, mix_rows};
  return set;
}

}  // namespace assay::ops
