// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A generator without state: the number for (seed, n) is a function of both.
#pragma once

#include <array>
#include <cstdint>

namespace assay::sampling {

/// Philox 4x32 with ten rounds. Counter-based, so a draw can be repeated or skipped at will.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11;
/// checked against the paper's known answers.
std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                    const std::array<std::uint32_t, 2>& key);

/// Draw n of a seed: uniform in [0, 1), 53 bits.
double uniform(std::uint64_t seed, std::uint64_t n);

}  // namespace assay::sampling
