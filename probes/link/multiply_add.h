// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Multiply-adds between registers, in several widths: what a core can do where nothing is loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::probes {

/// More independent sums than a multiply-add takes cycles times how many begin in one: fewer would
/// wait for themselves. With two operands they fit the 16 registers of the narrower sets.
inline constexpr std::size_t multiply_add_chains = 12;

struct multiply_add_variant {
  std::string_view name;
  std::size_t vector_bytes;
  /// each lane = each lane * factor + term, `rounds` times over.
  /// Shape of lanes: (multiply_add_chains, vector_bytes / 4) f32, 64-byte aligned.
  void (*run)(float* lanes, float factor, float term, std::uint32_t rounds);

  std::size_t lanes() const { return multiply_add_chains * vector_bytes / sizeof(float); }
};

/// Those that this CPU can run, narrowest first; never empty.
std::span<const multiply_add_variant> multiply_add_variants();

}  // namespace assay::probes
