// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The limit of device memory as a user writes it, and the bytes that it means.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "runtime/telemetry/result.h"

namespace assay::memory {

/// Of what the device has, where the limit is `auto`: the rest is for what nobody foresees.
inline constexpr double auto_ratio = 0.9;

/// "1536MiB", "6GiB" or "1000B"; a fraction of what the device has, above 0 and at most 1: "0.5",
/// ".5", "1"; or `auto`.
struct vram_limit {
  struct fraction {
    double ratio;
  };
  std::variant<std::uint64_t, fraction> value;  ///< bytes, or a part of the device

  /// Errors: usage, in one line that says what is wrong with the text: nothing, 0, negative, no
  /// number, no unit, an unknown one, more than the whole, too large to count.
  static result<vram_limit> parse(std::string_view text);

  /// The bytes, of a device with `total_bytes`. Errors: usage, where they are more than that.
  result<std::uint64_t> bytes_of(std::uint64_t total_bytes) const;
};

}  // namespace assay::memory
