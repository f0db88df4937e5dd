// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The signed-rank test of paired differences, its interval and its estimate. The three are one: the
// interval holds exactly those centres that the test does not reject, the estimate lies in its
// middle.
//
// Ties and zeros. The statistic counts Walsh averages (dᵢ+dⱼ)/2, i ≤ j, strictly on the far side of
// the tried centre. A pair that lies on the centre, and two that cancel, count against rejection:
// that is the least favourable way to break the tie, so the error stays below its level whatever
// ties there are.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace assay::compare {

/// Of n pairs whose signs are even coins: exact up to `exact_pairs`, above it the normal
/// approximation with a correction for continuity.
class signed_rank_null {
 public:
  static constexpr std::size_t exact_pairs = 400;

  explicit signed_rank_null(std::size_t pairs);
  std::size_t pairs() const { return pairs_; }

  /// P(W ≥ w).
  double upper_tail(std::size_t w) const;

  /// The largest k with P(W ≤ k − 1) ≤ `level`: the k-th smallest Walsh average bounds the centre
  /// from below with an error of `level`. 0: with so few pairs there is no such bound.
  std::size_t rank_of_bound(double level) const;

 private:
  std::size_t pairs_;
  std::vector<double> tail_;  // (n(n+1)/2 + 2): P(W ≥ w); empty above exact_pairs
};

/// The fewest pairs with which a one-sided test can reject at `level` at all.
std::size_t pairs_needed(double level);

struct bounds {
  double low = 0.0;
  double high = 0.0;
};

/// Paired differences, finite, at least one.
class signed_rank_sample {
 public:
  explicit signed_rank_sample(const std::vector<double>& differences);
  std::size_t size() const { return size_; }

  /// Hodges–Lehmann: the median of the Walsh averages.
  double estimate() const;

  /// Two-sided, coverage at least `confidence`; none where so few pairs cannot give it.
  std::optional<bounds> interval(const signed_rank_null& null, double confidence) const;

  /// One-sided p values of "the centre is at most `at`" and "the centre is at least `at`".
  double p_of_at_most(const signed_rank_null& null, double at) const;
  double p_of_at_least(const signed_rank_null& null, double at) const;

 private:
  std::size_t size_;
  std::vector<double> walsh_;  // ascending, n(n+1)/2
};

/// Walsh averages of `differences`, ascending.
std::vector<double> walsh_averages(const std::vector<double>& differences);

}  // namespace assay::compare
