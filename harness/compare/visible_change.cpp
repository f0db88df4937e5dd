// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/visible_change.h"

#include <algorithm>
#include <cmath>

#include "harness/compare/counter_rng.h"
#include "harness/compare/signed_rank.h"

namespace assay::compare {
namespace {

// The quantile's own spread is then below a tenth of the noise's, and a row of 32 pairs costs 1 ms.
constexpr std::size_t resamples = 200;
constexpr double wanted_power_ratio = 0.8;

std::vector<double> noise_of(const std::vector<double>& differences) {
  const double centre = signed_rank_sample(differences).estimate();
  const auto n = static_cast<double>(differences.size());
  std::vector<double> noise;
  for (const double d : differences) noise.push_back((d - centre) * std::sqrt(n / (n - 1)));
  return noise;
}

// The k-th smallest Walsh average of a resample.
double bound_of_resample(const std::vector<double>& noise, std::size_t pairs, std::size_t k,
                         counter_rng& rng) {
  std::vector<double> drawn(pairs);
  for (double& d : drawn) d = noise[static_cast<std::size_t>(rng.below(noise.size()))];
  std::vector<double> walsh;
  walsh.reserve(pairs * (pairs + 1) / 2);
  for (std::size_t i = 0; i < pairs; ++i)
    for (std::size_t j = i; j < pairs; ++j) walsh.push_back(0.5 * (drawn[i] + drawn[j]));
  const auto at = walsh.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(walsh.begin(), at, walsh.end());
  return *at;
}

}  // namespace

std::optional<double> visible_shift(const std::vector<double>& differences, double margin,
                                    const std::vector<rule_of_stage>& stages, std::uint64_t seed) {
  if (differences.size() < fewest_differences) return std::nullopt;
  std::vector<std::size_t> ranks;
  for (const rule_of_stage& stage : stages) {
    ranks.push_back(stage.pairs == 0 ? 0
                                     : signed_rank_null(stage.pairs).rank_of_bound(stage.level));
    if (ranks.back() == 0) return std::nullopt;
  }
  const std::vector<double> noise = noise_of(differences);
  counter_rng rng(seed, rng_stream::visible_change);
  std::vector<double> needed(resamples);
  for (double& shift : needed) {
    shift = 0.0;
    for (std::size_t s = 0; s < stages.size(); ++s)
      shift = std::max(shift, margin - bound_of_resample(noise, stages[s].pairs, ranks[s], rng));
  }
  std::sort(needed.begin(), needed.end());
  return needed[static_cast<std::size_t>(wanted_power_ratio * resamples)];
}

}  // namespace assay::compare
