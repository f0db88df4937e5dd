// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/signed_rank.h"

#include <algorithm>
#include <cmath>

#include "runtime/telemetry/check.h"

namespace assay::compare {
namespace {

std::size_t largest_sum(std::size_t pairs) {
  return pairs * (pairs + 1) / 2;
}

// P(W = w): rank r is in the sum or not, each with probability one half.
std::vector<double> exact_probabilities(std::size_t pairs) {
  std::vector<double> probability(largest_sum(pairs) + 1, 0.0);
  probability[0] = 1.0;
  for (std::size_t rank = 1; rank <= pairs; ++rank)
    for (std::size_t w = largest_sum(rank) + 1; w-- > 0;)
      probability[w] = 0.5 * (probability[w] + (w >= rank ? probability[w - rank] : 0.0));
  return probability;
}

double normal_upper_tail(std::size_t pairs, double w) {
  const auto n = static_cast<double>(pairs);
  const double mean = n * (n + 1) / 4;
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  return 0.5 * std::erfc((w - 0.5 - mean) / deviation / std::sqrt(2.0));
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

}  // namespace

signed_rank_null::signed_rank_null(std::size_t pairs) : pairs_(pairs) {
  ASSAY_CHECK(pairs > 0, "a distribution of no pairs");
  if (pairs > exact_pairs) return;
  const std::vector<double> probability = exact_probabilities(pairs);
  tail_.assign(probability.size() + 1, 0.0);
  for (std::size_t w = probability.size(); w-- > 0;) tail_[w] = tail_[w + 1] + probability[w];
}

double signed_rank_null::upper_tail(std::size_t w) const {
  if (tail_.empty()) return w == 0 ? 1.0 : normal_upper_tail(pairs_, static_cast<double>(w));
  return w < tail_.size() ? tail_[w] : 0.0;
}

std::size_t signed_rank_null::rank_of_bound(double level) const {
  // P(W ≤ k − 1) = P(W ≥ M − k + 1), by symmetry; it grows with k.
  const std::size_t most = largest_sum(pairs_);
  std::size_t low = 0;
  std::size_t high = most + 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (upper_tail(most - middle + 1) <= level ? low : high) = middle;
  }
  return low;
}

std::size_t pairs_needed(double level) {
  ASSAY_CHECK(level > 0, "a level of nothing");
  std::size_t pairs = 1;
  for (double smallest = 0.5; smallest > level; smallest *= 0.5) ++pairs;
  return pairs;
}

std::vector<double> walsh_averages(const std::vector<double>& differences) {
  std::vector<double> walsh;
  walsh.reserve(largest_sum(differences.size()));
  for (std::size_t i = 0; i < differences.size(); ++i)
    for (std::size_t j = i; j < differences.size(); ++j)
      walsh.push_back(0.5 * (differences[i] + differences[j]));
  std::sort(walsh.begin(), walsh.end());
  return walsh;
}

signed_rank_sample::signed_rank_sample(const std::vector<double>& differences)
    : size_(differences.size()), walsh_(walsh_averages(differences)) {
  ASSAY_CHECK(size_ > 0, "a sample of no pairs");
  ASSAY_CHECK(std::all_of(differences.begin(), differences.end(),
                          [](double d) { return std::isfinite(d); }),
              "a difference that is no number");
}

double signed_rank_sample::estimate() const {
  return median_of_sorted(walsh_);
}

std::optional<bounds> signed_rank_sample::interval(const signed_rank_null& null,
                                                   double confidence) const {
  ASSAY_CHECK(null.pairs() == size_, "the distribution of another number of pairs");
  const std::size_t k = null.rank_of_bound(0.5 * (1.0 - confidence));
  if (k == 0) return std::nullopt;
  return bounds{walsh_[k - 1], walsh_[walsh_.size() - k]};
}

double signed_rank_sample::p_of_at_most(const signed_rank_null& null, double at) const {
  ASSAY_CHECK(null.pairs() == size_, "the distribution of another number of pairs");
  const auto above = walsh_.end() - std::upper_bound(walsh_.begin(), walsh_.end(), at);
  return null.upper_tail(static_cast<std::size_t>(above));
}

double signed_rank_sample::p_of_at_least(const signed_rank_null& null, double at) const {
  ASSAY_CHECK(null.pairs() == size_, "the distribution of another number of pairs");
  const auto below = std::lower_bound(walsh_.begin(), walsh_.end(), at) - walsh_.begin();
  return null.upper_tail(static_cast<std::size_t>(below));
}

}  // namespace assay::compare
