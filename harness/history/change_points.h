// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where a series of results changed: E-divisive means (Matteson and James, 2014) with a permutation
// test for each place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::history {

struct change_rules {
  std::size_t least_points = 5;      ///< on each side of a change
  std::uint32_t permutations = 199;  ///< so that the smallest p is 1 in 200
  double significance = 0.05;
  std::uint64_t seed = 3;
};

struct change_point {
  std::size_t first = 0;  ///< index of the first value after the change
  double before = 0.0;    ///< median of the stretch before, back to the change before it
  double after = 0.0;     ///< median of the stretch after
  double p_value = 1.0;
};

/// For so many series looked through at once: the chance that any of them shows a change where
/// there is none stays at 5 % (Bonferroni), and shuffles enough to tell such a p.
change_rules rules_for(std::size_t series_count);

/// So many values it takes until a clear step in their middle is found nine times in ten: of fewer,
/// so many of their orders look like a step that none is significant, however clear it is.
std::size_t least_values(const change_rules& rules);

/// In the order of the series. Finds the place that divides best, tests it against shuffles of the
/// values, and goes on with both parts until the best of all parts is no finding. Pure: the same
/// values, rules and seed give the same places. Cost: permutations × values² for each change; of
/// few values more permutations, as many of them are as strong as the series itself.
std::vector<change_point> change_points(std::span<const double> values,
                                        const change_rules& rules = {});

}  // namespace assay::history
