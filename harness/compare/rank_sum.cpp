// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/rank_sum.h"

#include <algorithm>
#include <cmath>

#include "runtime/telemetry/check.h"

namespace assay::compare {
namespace {

// P(U = u) of (n, m): the largest of all values is a head with probability m / (n + m), and then
// lies above n bases; what remains is (n, m − 1) or (n − 1, m).
std::vector<double> exact_probabilities(std::size_t base_count, std::size_t head_count) {
  std::vector<std::vector<double>> row(head_count + 1);
  for (auto& each : row) each = {1.0};  // no base at all: U = 0
  for (std::size_t n = 1; n <= base_count; ++n) {
    for (std::size_t m = 1; m <= head_count; ++m) {
      const double share = static_cast<double>(m) / static_cast<double>(n + m);
      std::vector<double> mixed(n * m + 1, 0.0);
      for (std::size_t u = 0; u < row[m].size(); ++u) mixed[u] += (1.0 - share) * row[m][u];
      for (std::size_t u = 0; u < row[m - 1].size(); ++u) mixed[u + n] += share * row[m - 1][u];
      row[m] = std::move(mixed);
    }
  }
  return row[head_count];
}

std::vector<double> thinned(const std::vector<double>& values) {
  if (values.size() <= rank_sum_sample::most_values) return values;
  std::vector<double> taken;
  for (std::size_t i = 0; i < rank_sum_sample::most_values; ++i)
    taken.push_back(values[i * values.size() / rank_sum_sample::most_values]);
  return taken;
}

}  // namespace

rank_sum_null::rank_sum_null(std::size_t base_count, std::size_t head_count,
                             std::size_t exact_up_to)
    : base_count_(base_count), head_count_(head_count) {
  ASSAY_CHECK(base_count > 0 && head_count > 0, "a side without values");
  if (std::max(base_count, head_count) > exact_up_to) return;
  const std::vector<double> probability = exact_probabilities(base_count, head_count);
  tail_.assign(probability.size() + 1, 0.0);
  for (std::size_t u = probability.size(); u-- > 0;) tail_[u] = tail_[u + 1] + probability[u];
}

double rank_sum_null::upper_tail(std::size_t u) const {
  if (!tail_.empty()) return u < tail_.size() ? tail_[u] : 0.0;
  if (u == 0) return 1.0;
  const auto n = static_cast<double>(base_count_);
  const auto m = static_cast<double>(head_count_);
  const double deviation = std::sqrt(n * m * (n + m + 1) / 12);
  return 0.5 * std::erfc((static_cast<double>(u) - 0.5 - n * m / 2) / deviation / std::sqrt(2.0));
}

std::size_t rank_sum_null::rank_of_bound(double level) const {
  const std::size_t most = base_count_ * head_count_;
  std::size_t low = 0;
  std::size_t high = most + 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (upper_tail(most - middle + 1) <= level ? low : high) = middle;
  }
  return low;
}

rank_sum_sample::rank_sum_sample(const std::vector<double>& base, const std::vector<double>& head)
    : base_count_(std::min(base.size(), most_values)),
      head_count_(std::min(head.size(), most_values)) {
  ASSAY_CHECK(!base.empty() && !head.empty(), "a side without values");
  differences_.reserve(base_count_ * head_count_);
  for (const double b : thinned(base))
    for (const double h : thinned(head)) differences_.push_back(h - b);
  std::sort(differences_.begin(), differences_.end());
}

double rank_sum_sample::estimate() const {
  const std::size_t half = differences_.size() / 2;
  return differences_.size() % 2 == 1 ? differences_[half]
                                      : 0.5 * (differences_[half - 1] + differences_[half]);
}

std::optional<bounds> rank_sum_sample::interval(const rank_sum_null& null,
                                                double confidence) const {
  const std::size_t k = null.rank_of_bound(0.5 * (1.0 - confidence));
  if (k == 0) return std::nullopt;
  return bounds{differences_[k - 1], differences_[differences_.size() - k]};
}

double rank_sum_sample::p_of_at_most(const rank_sum_null& null, double at) const {
  const auto above =
      differences_.end() - std::upper_bound(differences_.begin(), differences_.end(), at);
  return null.upper_tail(static_cast<std::size_t>(above));
}

double rank_sum_sample::p_of_at_least(const rank_sum_null& null, double at) const {
  const auto below =
      std::lower_bound(differences_.begin(), differences_.end(), at) - differences_.begin();
  return null.upper_tail(static_cast<std::size_t>(below));
}

}  // namespace assay::compare
