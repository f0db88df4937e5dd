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

/// Requests are aligned by content: by what each of their steps launched and read, whatever their
/// place; those that remain by their order. Steps of aligned requests are compared where launches
/// and bytes read are the same; one that did something else is counted and not compared.
/// Of several runs a side each is one number: a time is larger or smaller where the interval of the
/// shift between the sides lies beyond 2 %, and beyond 2 us. Of one run a side a repeat is a
/// stretch of eight aligned steps of a request; these tell two processes apart, and nothing of the
/// programs. The investigations keep launches of each step (investigator::keep_launches). Neither
/// side is empty, nor longer than runs_max.
model::investigation_difference difference_of(std::vector<model::investigation> firsts,
                                              std::vector<model::investigation> seconds);

}  // namespace assay::attribution
