// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What differs between two runs, as far as their traces can show it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "reports/model/investigation_difference.h"

namespace assay::attribution {

/// The distribution-free interval of a median by order statistics.
struct median_interval {
  bool is_there = false;  ///< too few values have none at the level
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// The narrowest pair of equal ranks from both ends whose confidence is at least `level_ratio`.
/// Sorts.
median_interval interval_of_median(std::vector<std::int64_t>& values, double level_ratio);

/// The value in the middle; of an even number what lies between the two, since the lower alone
/// would lean one way. 0 where there are none. Sorts.
std::int64_t middle_of(std::vector<std::int64_t>& values);

/// Requests are aligned by content: by what each of their steps launched and read, whatever their
/// place; those that remain by their order. Steps of aligned requests are compared where launches
/// and bytes read are the same; one that did something else is counted and not compared. A repeat
/// is a stretch of eight aligned steps of a request. A time differs where the interval of its
/// change lies beyond 2 %, and beyond 2 us. The investigations keep launches of each step
/// (investigator::keep_launches).
model::investigation_difference difference_of(model::investigation first,
                                              model::investigation second);

}  // namespace assay::attribution
