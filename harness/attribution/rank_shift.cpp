// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/rank_shift.h"

#include <cmath>

#include "runtime/telemetry/check.h"

namespace assay::attribution {
namespace {

// A level that is reached is not missed for the last bit of a sum.
constexpr double rounding_ratio = 1e-12;

std::vector<double> reals(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

compare::rank_sum_null shift_null(std::size_t firsts, std::size_t seconds) {
  ASSAY_CHECK(firsts <= runs_max && seconds <= runs_max, "more runs than are counted");
  return {firsts, seconds, runs_max};
}

shift_estimate shift_between(const std::vector<std::int64_t>& first,
                             const std::vector<std::int64_t>& second,
                             const compare::rank_sum_null& null, double level_ratio) {
  const compare::rank_sum_sample sample(reals(first), reals(second));
  shift_estimate out;
  out.shift = std::llround(sample.estimate());
  if (const auto interval = sample.interval(null, level_ratio - rounding_ratio)) {
    out.is_there = true;
    out.low = std::llround(interval->low);
    out.high = std::llround(interval->high);
  }
  return out;
}

std::size_t runs_needed(double level_ratio) {
  const double tail_ratio = 0.5 * (1.0 - (level_ratio - rounding_ratio));
  std::size_t runs = 1;
  while (runs < runs_max && shift_null(runs, runs).smallest_p() > tail_ratio) ++runs;
  return runs;
}

}  // namespace assay::attribution
