// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How far one side's runs lie from another's, where a run is one number. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::attribution {

/// The most runs a side that the exact distribution is counted for.
inline constexpr std::size_t runs_max = 64;

struct shift_estimate {
  std::int64_t shift = 0;  ///< Hodges-Lehmann: the median of all differences, second less first
  bool is_there = false;   ///< an interval: with too few runs none reaches the level
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Of the shift the interval that the rank sum test does not reject, by the exact distribution: it
/// assumes nothing of how runs scatter but that a side's are drawn alike. Neither side empty, nor
/// beyond runs_max.
shift_estimate shift_between(const std::vector<std::int64_t>& first,
                             const std::vector<std::int64_t>& second, double level_ratio);

/// The fewest runs, as many on either side, that have an interval at the level.
std::size_t runs_needed(double level_ratio);

}  // namespace assay::attribution
