// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/binomial_bound.h"

#include <cmath>

#include "runtime/telemetry/check.h"

namespace assay::compare {
namespace {

// P(X ≤ seen) of `tried` at `rate` in (0, 1). Each term by logarithms: none under- or overflows
// before it is small enough to be dropped.
double lower_tail(std::uint64_t seen, std::uint64_t tried, double rate) {
  const auto n = static_cast<double>(tried);
  double sum = 0.0;
  for (std::uint64_t k = 0; k <= seen; ++k) {
    const auto x = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                    x * std::log(rate) + (n - x) * std::log1p(-rate));
  }
  return sum;
}

}  // namespace

double rate_at_most(std::uint64_t seen, std::uint64_t tried, double confidence) {
  ASSAY_CHECK(tried > 0 && seen <= tried, "more seen than tried");
  if (seen == tried) return 1.0;
  double low = 0.0;
  double high = 1.0;
  // 60 halvings end below the spacing of doubles near any rate of interest.
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (lower_tail(seen, tried, middle) > 1.0 - confidence ? low : high) = middle;
  }
  return high;
}

double rate_at_least(std::uint64_t seen, std::uint64_t tried, double confidence) {
  return 1.0 - rate_at_most(tried - seen, tried, confidence);
}

}  // namespace assay::compare
