// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The rank-sum test of two sides whose processes do not belong together in pairs, its interval and
// its estimate: three readings of the differences headⱼ − baseᵢ. Ties count against rejection, as
// in signed_rank.h.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/compare/signed_rank.h"

namespace assay::compare {

/// The number of (i, j) with headⱼ > baseᵢ where both sides are one population: exact where neither
/// side has more than `exact_up_to` values, else the normal approximation.
class rank_sum_null {
 public:
  static constexpr std::size_t exact_side = 40;

  rank_sum_null(std::size_t base_count, std::size_t head_count,
                std::size_t exact_up_to = exact_side);

  /// P(U ≥ u).
  double upper_tail(std::size_t u) const;
  /// The largest k with P(U ≤ k − 1) ≤ `level`; 0 where there is none.
  std::size_t rank_of_bound(double level) const;
  /// The smallest p that these counts can give.
  double smallest_p() const { return upper_tail(base_count_ * head_count_); }

 private:
  std::size_t base_count_;
  std::size_t head_count_;
  std::vector<double> tail_;  // (nm + 2): P(U ≥ u); empty where the approximation serves
};

/// Two sides of finite values, at least one each. Of a side with more than `most_values` every
/// k-th value is taken, in order, so that the differences stay countable.
class rank_sum_sample {
 public:
  static constexpr std::size_t most_values = 1000;

  rank_sum_sample(const std::vector<double>& base, const std::vector<double>& head);

  /// Hodges–Lehmann: the median of the differences.
  double estimate() const;
  std::optional<bounds> interval(const rank_sum_null& null, double confidence) const;
  double p_of_at_most(const rank_sum_null& null, double at) const;
  double p_of_at_least(const rank_sum_null& null, double at) const;
  /// For these counts of values.
  rank_sum_null null() const { return {base_count_, head_count_}; }

 private:
  std::size_t base_count_;
  std::size_t head_count_;
  std::vector<double> differences_;  // ascending, base × head
};

}  // namespace assay::compare
