// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Floors from a pool's first blocks, which no comparison uses.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/campaigns/compare_pool.h"

namespace assay::campaigns {

struct pool_floors {
  std::map<std::string, double> of_row;        ///< ratios; a row without one is uncalibrated
  std::map<std::string, std::size_t> results;  ///< of the row itself
  std::size_t used_blocks = 0;                 ///< of each pool
};

/// As assay compare --calibrate: comparisons of `pairs_a_result` pairs, at least 40 a row where the
/// pools are long enough, else pooled by family; a third of each pool at most.
pool_floors floors_of(const std::vector<pool>& pools, std::size_t pairs_a_result);

}  // namespace assay::campaigns
