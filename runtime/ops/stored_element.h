// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The 16-bit types of a stored weight.
#pragma once

#include <bit>
#include <cstdint>

namespace assay::ops {

struct stored_bf16 {
  std::uint16_t bits;
};

struct stored_f16 {
  std::uint16_t bits;
};

inline float widened(stored_bf16 stored) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(stored.bits) << 16);
}

// Exponent and mantissa moved to their f32 places read as 2^-112 of the value, subnormals too.
// Infinity and NaN would come out finite: a checkpoint that has them is refused when opened.
inline float widened(stored_f16 stored) {
  const auto wide = static_cast<std::uint32_t>(stored.bits);
  const float magnitude = std::bit_cast<float>((wide & 0x7fffU) << 13) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (wide & 0x8000U) << 16);
}

inline float widened(float stored) {
  return stored;
}

}  // namespace assay::ops
