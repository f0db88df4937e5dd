// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The units a published quantity can have, and how a reading's 64 bits are to be understood.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

/// Unit of a published quantity. The suffix of a counter's name repeats it.
enum class unit : std::uint8_t {
  bytes,
  count,
  tokens,
  pages,
  ns,
  ratio,  ///< 0..1
  bytes_per_s,
  tokens_per_s,
};

/// How many rows the enumeration has; tables are checked against it.
inline constexpr int unit_count = 8;

/// The spelling used in names, JSON and tables.
constexpr std::string_view to_string(unit u) {
  switch (u) {
    case unit::bytes:
      return "bytes";
    case unit::count:
      return "count";
    case unit::tokens:
      return "tokens";
    case unit::pages:
      return "pages";
    case unit::ns:
      return "ns";
    case unit::ratio:
      return "ratio";
    case unit::bytes_per_s:
      return "bytes_per_s";
    case unit::tokens_per_s:
      return "tokens_per_s";
  }
  return "?";
}

/// Ratios and rates are stored as the bits of a double, everything else as a signed integer:
/// signed, so that a timer that went backwards can be seen instead of reading as 2^64.
constexpr bool is_real(unit u) {
  return u == unit::ratio || u == unit::bytes_per_s || u == unit::tokens_per_s;
}

}  // namespace assay
