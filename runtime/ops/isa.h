// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which instruction set the operators' inner loops use.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::ops {

/// Ascending: each can do what the one before can. The numbers are those of the knob.
enum class isa : std::uint8_t {
  portable = 1,  ///< plain C++
  avx2 = 2,      ///< AVX2 with FMA and F16C
  avx512 = 3,    ///< AVX-512 F, BW, DQ and VL
};

std::string_view to_string(isa which);

/// The highest that processor and operating system have.
isa best_isa() noexcept;

/// What the operators use from now on: `most`, or the best there is where that is lower. Returns
/// what is in force. Before the first call the best is.
/// Threads: any, but a launch that runs meanwhile may use either.
isa limit_isa(isa most) noexcept;

isa isa_in_force() noexcept;

}  // namespace assay::ops
