// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/rank_shift.h"

#include <algorithm>
#include <numeric>

#include "probes/trace/bounded.h"
#include "runtime/telemetry/check.h"

namespace assay::attribution {
namespace {

// A level that is reached is not missed for the last bit of a sum.
constexpr double rounding_ratio = 1e-12;

// The chance of each number of pairs whose second lies above its first (Mann and Whitney's U) where
// the sides do not differ. By the largest of all runs, which is one of the m + n with equal chance.
std::vector<double> chances_of(std::size_t firsts, std::size_t seconds) {
  // by_first[n] holds U's distribution for the current m and n.
  std::vector<std::vector<double>> by_second(seconds + 1, {1.0});
  for (std::size_t m = 1; m <= firsts; ++m) {
    std::vector<std::vector<double>> next(seconds + 1);
    next[0] = {1.0};
    for (std::size_t n = 1; n <= seconds; ++n) {
      const auto all = static_cast<double>(m + n);
      std::vector<double>& out = next[n];
      out.assign(m * n + 1, 0.0);
      // The largest is a second: it lies above all m firsts. Else it is a first: above it is none.
      const std::vector<double>& without_second = next[n - 1];
      for (std::size_t u = 0; u < without_second.size(); ++u)
        out[u + m] += without_second[u] * static_cast<double>(n) / all;
      const std::vector<double>& without_first = by_second[n];
      for (std::size_t u = 0; u < without_first.size(); ++u)
        out[u] += without_first[u] * static_cast<double>(m) / all;
    }
    by_second.swap(next);
  }
  return by_second[seconds];
}

}  // namespace

shift_estimate shift_between(const std::vector<std::int64_t>& first,
                             const std::vector<std::int64_t>& second, double level_ratio) {
  ASSAY_CHECK(!first.empty() && !second.empty(), "a shift needs a run on either side");
  ASSAY_CHECK(first.size() <= runs_max && second.size() <= runs_max, "more runs than are counted");
  std::vector<std::int64_t> apart;
  for (const std::int64_t one : first)
    for (const std::int64_t other : second) apart.push_back(trace::difference(other, one));
  std::sort(apart.begin(), apart.end());
  shift_estimate out;
  out.shift = std::midpoint(apart[(apart.size() - 1) / 2], apart[apart.size() / 2]);
  const std::vector<double> chances = chances_of(first.size(), second.size());
  double tail = 0.0;
  for (std::size_t rank = 0; 2 * rank < apart.size(); ++rank) {
    tail += chances[rank];
    if (1.0 - 2.0 * tail < level_ratio - rounding_ratio) break;
    out.is_there = true;
    out.low = apart[rank];
    out.high = apart[apart.size() - 1 - rank];
  }
  return out;
}

std::size_t runs_needed(double level_ratio) {
  double ways = 1.0;  // to draw one side out of both
  for (std::size_t runs = 1; runs < runs_max; ++runs) {
    const auto k = static_cast<double>(runs);
    ways *= (2.0 * k) * (2.0 * k - 1.0) / (k * k);
    if (1.0 - 2.0 / ways >= level_ratio - rounding_ratio) return runs;
  }
  return runs_max;
}

}  // namespace assay::attribution
