// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How far one side's runs lie from another's, where a run is one number. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/compare/rank_sum.h"

namespace assay::attribution {

/// The most runs a side that the exact distribution is counted for.
inline constexpr std::size_t runs_max = 64;

struct shift_estimate {
  std::int64_t shift = 0;  ///< Hodges-Lehmann: the median of all differences, second less first
  bool is_there = false;   ///< an interval: with too few runs none reaches the level
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// The exact distribution of the rank sum, for all rows of these numbers of runs. Neither is 0, nor
/// beyond runs_max.
compare::rank_sum_null shift_null(std::size_t firsts, std::size_t seconds);

/// Of the shift the interval that the rank sum test does not reject: it assumes nothing of how runs
/// scatter but that a side's are drawn alike. `null` is that of these numbers of runs.
shift_estimate shift_between(const std::vector<std::int64_t>& first,
                             const std::vector<std::int64_t>& second,
                             const compare::rank_sum_null& null, double level_ratio);

/// The fewest runs, as many on either side, that have an interval at the level.
std::size_t runs_needed(double level_ratio);

}  // namespace assay::attribution
