// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A reading: a value together with what it is worth. Absence is a value.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "runtime/telemetry/units.h"

namespace assay::telemetry {

/// What a reading is worth. Only `measured`, `zero` and `lower_bound` carry a number; nothing is
/// ever printed as 0 in place of the others.
enum class reading_state : std::uint8_t {
  never_written,   ///< nobody wrote it in this process
  measured,        ///< written, and not zero
  zero,            ///< written, and zero was measured
  not_applicable,  ///< this run cannot have it; the reason says why
  lower_bound,     ///< some of it was lost; at least this much
  lost,            ///< measured and lost; the reason says why
};

constexpr std::string_view to_string(reading_state s) {
  switch (s) {
    case reading_state::never_written:
      return "never written";
    case reading_state::measured:
      return "measured";
    case reading_state::zero:
      return "zero";
    case reading_state::not_applicable:
      return "not applicable";
    case reading_state::lower_bound:
      return "lower bound";
    case reading_state::lost:
      return "lost";
  }
  return "?";
}

/// One reading of one counter. `bits` is an int64 or the bits of a double, by the counter's unit.
/// Ownership: `reason` points at static storage.
struct reading {
  reading_state state = reading_state::never_written;
  std::int64_t bits = 0;
  std::string_view reason;

  /// True where a number may be used in arithmetic.
  constexpr bool has_value() const {
    return state == reading_state::measured || state == reading_state::zero ||
           state == reading_state::lower_bound;
  }
  constexpr std::int64_t integer() const { return bits; }
  constexpr double real() const { return std::bit_cast<double>(bits); }
  /// The value as a double, whatever its unit stores.
  constexpr double as_double(unit u) const {
    return is_real(u) ? real() : static_cast<double>(bits);
  }
};

}  // namespace assay::telemetry
