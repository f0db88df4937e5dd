// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Built with -fassociative-math (CMakeLists.txt): a sum may be split over vector lanes. Nothing
// here depends on an order of additions, and nothing whose exactness does may move here.
#include "runtime/ops/dot.h"

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

}  // namespace assay::ops
