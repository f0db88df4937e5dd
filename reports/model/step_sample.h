// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which of very many decode steps a picture shows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "reports/model/investigation.h"

namespace assay::model {

/// Indices in ascending order, at most `most` of them: all where there are no more; else, of
/// equal stretches, the shortest and the longest step. Thinning out never hides an extreme.
inline std::vector<std::size_t> sampled_steps(const std::vector<pass_line>& steps,
                                              std::size_t most = 2000) {
  std::vector<std::size_t> shown;
  if (steps.size() <= most) {
    for (std::size_t at = 0; at < steps.size(); ++at) shown.push_back(at);
    return shown;
  }
  const std::size_t stretches = most / 2;
  for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
    const std::size_t from = steps.size() * stretch / stretches;
    const std::size_t to = steps.size() * (stretch + 1) / stretches;
    const auto [least, longest] = std::minmax_element(
        steps.begin() + static_cast<std::ptrdiff_t>(from),
        steps.begin() + static_cast<std::ptrdiff_t>(to),
        [](const pass_line& a, const pass_line& b) { return a.wall_ns < b.wall_ns; });
    const auto one = static_cast<std::size_t>(least - steps.begin());
    const auto other = static_cast<std::size_t>(longest - steps.begin());
    shown.push_back(std::min(one, other));
    if (one != other) shown.push_back(std::max(one, other));
  }
  return shown;
}

}  // namespace assay::model
