// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A counter's value: an exact integer, or a real where its unit is a ratio or a rate.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "harness/audit/saturating.h"

namespace assay::audit {

struct number {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0.0;

  static number of_bits(std::int64_t bits, bool is_real) {
    return is_real ? number{true, 0, std::bit_cast<double>(bits)} : number{false, bits, 0.0};
  }
  static number of(std::int64_t value) { return {false, value, 0.0}; }
  static number of_real(double value) { return {true, 0, value}; }

  double as_double() const { return is_real ? real : static_cast<double>(integer); }
  bool is_zero() const { return is_real ? real == 0.0 : integer == 0; }
  void add(const number& other) {
    is_real = is_real || other.is_real;
    integer = saturating_add(integer, other.integer);
    real += other.real;
  }
};

/// Exact for integers; reals may differ by rounding of one division (1e-9 relative). NaN equals
/// nothing.
inline bool are_equal(const number& a, const number& b) {
  if (a.is_real != b.is_real) return false;
  if (!a.is_real) return a.integer == b.integer;
  return std::abs(a.real - b.real) <= 1e-9 * std::abs(b.real);
}

}  // namespace assay::audit
