// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/pool_floors.h"

#include <algorithm>
#include <cmath>

#include "harness/compare/calibration.h"
#include "harness/compare/counter_rng.h"
#include "harness/compare/row_decision.h"
#include "harness/compare/signed_rank.h"

namespace assay::campaigns {
namespace {

std::string family_of(const std::string& name) {
  return name.substr(0, name.find('/'));
}

std::size_t windows_of(const std::vector<pool>& pools, std::size_t blocks_a_result) {
  std::size_t shortest = pools.front().blocks.size();
  for (const pool& each : pools) shortest = std::min(shortest, each.blocks.size());
  const std::size_t wanted = (compare::fewest_results + pools.size() - 1) / pools.size();
  return std::min(wanted, shortest / 3 / blocks_a_result);
}

double estimate(const pool& from, std::size_t row, std::size_t first, std::size_t blocks,
                compare::counter_rng& rng) {
  compare::paired_row pairs;
  for (std::size_t at = first; at < first + blocks; ++at)
    add_pairs(from.blocks[at].plain[row], rng.below(2) == 0, pairs, pairs.screen);
  const auto differences =
      compare::cost_differences(pairs.screen, model::direction::lower_is_better);
  return std::abs(compare::signed_rank_sample(differences).estimate());
}

}  // namespace

pool_floors floors_of(const std::vector<pool>& pools, std::size_t pairs_a_result) {
  const std::size_t blocks = pairs_a_result / 2;
  const std::size_t windows = windows_of(pools, blocks);
  pool_floors found;
  found.used_blocks = windows * blocks;
  std::map<std::string, std::vector<double>> of_row;
  std::map<std::string, std::vector<double>> of_family;
  compare::counter_rng rng(1, compare::rng_stream::pairing_plan, 2);
  for (const pool& each : pools)
    for (std::size_t window = 0; window < windows; ++window)
      for (std::size_t row = 0; row < each.rows.size(); ++row) {
        const double value = estimate(each, row, window * blocks, blocks, rng);
        of_row[each.rows[row]].push_back(value);
        of_family[family_of(each.rows[row])].push_back(value);
      }
  for (const auto& [name, own] : of_row) {
    found.results[name] = own.size();
    const auto& used = own.size() < compare::fewest_results ? of_family[family_of(name)] : own;
    const auto bound = used.size() < compare::fewest_results
                           ? std::nullopt
                           : compare::conformal_bound(used, compare::floor_level);
    if (bound) found.of_row[name] = std::expm1(*bound);
  }
  return found;
}

}  // namespace assay::campaigns
