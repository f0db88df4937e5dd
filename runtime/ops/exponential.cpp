// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Built without -fassociative-math: the two-part reduction below is an order of operations.
#include "runtime/ops/exponential.h"

#include <bit>
#include <cstdint>

#include "runtime/ops/dot.h"

namespace assay::ops {
namespace {

// e^x = 2^n · e^r with n = round(x / ln 2), so |r| <= ln 2 / 2 = 0.347. The Taylor series to the
// seventh power leaves r^8 / 8! <= 5.2e-9. ln 2 is taken off in two parts, the first with 9
// trailing zero bits so that n · part is exact for |n| <= 127.
[[gnu::always_inline]] inline float exponential(float x) {
  constexpr float log2_e = 1.44269504F;
  constexpr float ln2_high = 0.693145752F;   // 0x3f317200
  constexpr float ln2_low = 1.42860677e-6F;  // ln 2 - ln2_high
  const float carried = x - x;  // 0, or NaN where x is not finite: a clamp alone would hide it
  x = x < 88.0F ? x : 88.0F;
  x = x > -87.0F ? x : -87.0F;
  const float scaled = x * log2_e;
  const auto n = static_cast<std::int32_t>(scaled < 0.0F ? scaled - 0.5F : scaled + 0.5F);
  const auto whole = static_cast<float>(n);
  const float r = (x - whole * ln2_high) - whole * ln2_low;
  float series = 1.0F / 5040.0F;
  series = series * r + 1.0F / 720.0F;
  series = series * r + 1.0F / 120.0F;
  series = series * r + 1.0F / 24.0F;
  series = series * r + 1.0F / 6.0F;
  series = series * r + 0.5F;
  series = series * r + 1.0F;
  series = series * r + 1.0F;
  return series * std::bit_cast<float>((n + 127) << 23) + carried;
}

}  // namespace

ASSAY_CLONES void exponentials(float* values, std::size_t count, float shift) {
  for (std::size_t i = 0; i < count; ++i) values[i] = exponential(values[i] - shift);
}

ASSAY_CLONES void silu_times(float* __restrict gate, const float* __restrict up,
                             std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    gate[i] = gate[i] / (1.0F + exponential(-gate[i])) * up[i];
}

}  // namespace assay::ops
