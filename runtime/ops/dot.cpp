// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Built with -fassociative-math (CMakeLists.txt): a sum may be split over vector lanes. Nothing
// here depends on an order of additions, and nothing whose exactness does may move here.
#include "runtime/ops/dot.h"

#include <array>

#include "runtime/ops/stored_element.h"

namespace assay::ops {
namespace {

template <class Stored>
[[gnu::always_inline]] inline void widen_of(const std::byte* row, std::size_t columns, float* out) {
  const auto* from = reinterpret_cast<const Stored*>(row);
  for (std::size_t k = 0; k < columns; ++k) out[k] = widened(from[k]);
}

}  // namespace

ASSAY_CLONES void widen(checkpoint::dtype type, const std::byte* row, std::size_t columns,
                        float* __restrict out) {
  switch (type) {
    case checkpoint::dtype::bf16:
      return widen_of<stored_bf16>(row, columns, out);
    case checkpoint::dtype::f16:
      return widen_of<stored_f16>(row, columns, out);
    case checkpoint::dtype::f32:
      return widen_of<float>(row, columns, out);
  }
}

ASSAY_CLONES float sum_of_squares(const float* x, std::size_t count) {
  float sum = 0.0F;
  for (std::size_t i = 0; i < count; ++i) sum += x[i] * x[i];
  return sum;
}

ASSAY_CLONES float sum_of(const float* x, std::size_t count) {
  float sum = 0.0F;
  for (std::size_t i = 0; i < count; ++i) sum += x[i];
  return sum;
}

// Lanes by hand: without leave to take every value for a number the compiler keeps one chain.
ASSAY_CLONES float largest_of(const float* x, std::size_t count, float least) {
  constexpr std::size_t width = 16;
  std::array<float, width> peaks;
  peaks.fill(least);
  std::size_t i = 0;
  for (; i + width <= count; i += width)
    for (std::size_t lane = 0; lane < width; ++lane)
      peaks[lane] = x[i + lane] > peaks[lane] ? x[i + lane] : peaks[lane];
  for (; i < count; ++i) least = x[i] > least ? x[i] : least;
  for (const float peak : peaks) least = peak > least ? peak : least;
  return least;
}

}  // namespace assay::ops
