// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/rotary_frequency.h"

#include <cmath>

namespace assay::ops {
namespace {

constexpr float full_turn = 6.28318530717958647692F;

float stretched(float frequency, const rotary_scaling& s) {
  const float wavelength = full_turn / frequency;
  if (wavelength < s.original_context_tokens / s.high_freq_factor) return frequency;
  if (wavelength > s.original_context_tokens / s.low_freq_factor) return frequency / s.factor;
  const float turns = s.original_context_tokens / wavelength;
  const float kept = (turns - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor);
  return (1.0F - kept) * frequency / s.factor + kept * frequency;
}

}  // namespace

float rotary_frequency(std::uint32_t pair, std::uint32_t head_dim, double theta,
                       const rotary_scaling& scaling) {
  const float exponent = static_cast<float>(2 * pair) / static_cast<float>(head_dim);
  const float frequency = 1.0F / static_cast<float>(std::pow(theta, double{exponent}));
  return scaling.factor == 1.0F ? frequency : stretched(frequency, scaling);
}

}  // namespace assay::ops
