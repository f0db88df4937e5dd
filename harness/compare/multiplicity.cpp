// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/multiplicity.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace assay::compare {

std::vector<double> holm_adjusted(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double so_far = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto still_open = static_cast<double>(order.size() - rank);
    so_far = std::max(so_far, std::min(1.0, still_open * p_values[order[rank]]));
    adjusted[order[rank]] = so_far;
  }
  return adjusted;
}

}  // namespace assay::compare
