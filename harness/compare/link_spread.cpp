// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/link_spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/compare/median.h"

namespace assay::compare {

std::vector<double> scatter_of(const results_by_link& results) {
  std::vector<double> all;
  for (const auto& link : results) {
    const std::vector<double>& of_link = link.second;
    if (of_link.size() < 2) continue;
    const auto count = static_cast<double>(of_link.size());
    const double mean = std::accumulate(of_link.begin(), of_link.end(), 0.0) / count;
    for (const double each : of_link)
      all.push_back(std::abs(each - mean) * std::sqrt(count / (count - 1)));
  }
  return all;
}

double link_spread_ln(const results_by_link& results, double scatter_ln) {
  double lowest = 0.0;
  double highest = 0.0;
  for (const auto& link : results) {
    const double shift = median_of(link.second);
    if (std::abs(shift) <= scatter_ln) continue;
    const auto [least, most] = std::minmax_element(link.second.begin(), link.second.end());
    if (shift > 0)
      highest = std::max({highest, shift + scatter_ln, *most});
    else
      lowest = std::min({lowest, shift - scatter_ln, *least});
  }
  return highest - lowest;
}

}  // namespace assay::compare
