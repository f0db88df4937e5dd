// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether two sequences of bytes are the same, as one number.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::telemetry {

/// FNV-1a with 64 bits: tells what was changed by accident, and nothing of what was meant to
/// deceive. The same on every machine, so a value may be stored. Threads: one at a time.
class fnv1a {
 public:
  constexpr void take(unsigned char byte) noexcept { value_ = (value_ ^ byte) * prime; }
  constexpr void take(std::string_view bytes) noexcept {
    for (const char each : bytes) take(static_cast<unsigned char>(each));
  }
  /// Its four bytes, the lowest first.
  constexpr void take(std::int32_t number) noexcept {
    for (int shift = 0; shift < 32; shift += 8)
      take(static_cast<unsigned char>(static_cast<std::uint32_t>(number) >> shift & 0xffU));
  }
  constexpr std::uint64_t value() const noexcept { return value_; }

 private:
  static constexpr std::uint64_t prime = 0x100000001b3ULL;
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace assay::telemetry
