// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a stored file could be called regressed by a distribution of other counts. The
// reference enumerates which values are head's; it knows no recurrence.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>

#include <gmock/gmock.h>

#include "harness/compare/rank_sum.h"

namespace assay::compare {
namespace {

// P(U ≥ u) by choosing in every possible way which of the n + m places head takes.
double enumerated_tail(std::size_t base_count, std::size_t head_count, std::size_t u) {
  const std::size_t places = base_count + head_count;
  std::uint32_t ways = 0;
  std::uint32_t hits = 0;
  for (std::uint32_t heads = 0; heads < (1U << places); ++heads) {
    if (static_cast<std::size_t>(std::popcount(heads)) != head_count) continue;
    std::size_t above = 0;
    std::size_t bases = 0;
    for (std::size_t place = 0; place < places; ++place)
      ((heads >> place) & 1U) != 0 ? above += bases : bases += 1;
    ++ways;
    hits += above >= u;
  }
  return static_cast<double>(hits) / ways;
}

TEST(RankSum, null_is_what_all_labellings_give) {
  for (std::size_t n = 1; n <= 8; ++n)
    for (std::size_t m = 1; m <= 8; ++m) {
      const rank_sum_null null(n, m);
      for (std::size_t u = 0; u <= n * m + 1; u += 1 + n * m / 20)
        ASSERT_NEAR(null.upper_tail(u), enumerated_tail(n, m, u), 1e-13) << n << ' ' << m;
    }
}

// Minimum two-sided p of n against n: .33, .10, .029, .0079, 1.6e-4 (2, 3, 4, 5, 8 processes).
TEST(RankSum, few_processes_cannot_be_significant) {
  EXPECT_NEAR(2 * rank_sum_null(2, 2).smallest_p(), 0.3333, 1e-4);
  EXPECT_NEAR(2 * rank_sum_null(3, 3).smallest_p(), 0.1000, 1e-4);
  EXPECT_NEAR(2 * rank_sum_null(4, 4).smallest_p(), 0.0286, 1e-4);
  EXPECT_NEAR(2 * rank_sum_null(5, 5).smallest_p(), 0.0079, 1e-4);
  EXPECT_NEAR(2 * rank_sum_null(8, 8).smallest_p(), 1.554e-4, 1e-7);
}

TEST(RankSum, shift_is_tested_where_it_is_asked_for) {
  const rank_sum_sample sample({1, 2, 3, 4, 5}, {11, 12, 13, 14, 15});
  const rank_sum_null null = sample.null();
  EXPECT_DOUBLE_EQ(sample.estimate(), 10.0);
  EXPECT_NEAR(sample.p_of_at_most(null, 0.0), 1.0 / 252, 1e-12);
  EXPECT_NEAR(sample.p_of_at_most(null, 5.9), 1.0 / 252, 1e-12);
  EXPECT_GT(sample.p_of_at_most(null, 6.0), 1.0 / 252);  // the closest two tie: counts against
  EXPECT_DOUBLE_EQ(sample.p_of_at_least(null, 0.0), 1.0);
  EXPECT_NEAR(sample.p_of_at_least(null, 14.1), 1.0 / 252, 1e-12);
}

TEST(RankSum, interval_is_of_the_differences) {
  const rank_sum_sample sample({1, 2, 3, 4, 5}, {11, 12, 13, 14, 15});
  const auto found = sample.interval(sample.null(), 0.9);
  ASSERT_TRUE(found);
  // P(U ≤ 4) = 0.0476 and P(U ≤ 5) = 0.0754 of (5, 5): the fifth from either end.
  EXPECT_DOUBLE_EQ(found->low, 8.0);
  EXPECT_DOUBLE_EQ(found->high, 12.0);
  EXPECT_FALSE(rank_sum_sample({1, 2}, {3, 4}).interval(rank_sum_null(2, 2), 0.9));
}

TEST(RankSum, approximation_joins_the_exact_distribution) {
  const rank_sum_null exact(40, 40);
  const rank_sum_null approximate(41, 40);
  const double deviation = std::sqrt(40.0 * 40 * 81 / 12);
  for (const double z : {0.0, 1.0, 2.0, 3.0})
    EXPECT_NEAR(
        exact.upper_tail(static_cast<std::size_t>(800 + z * deviation)),
        approximate.upper_tail(static_cast<std::size_t>(820 + z * std::sqrt(41.0 * 40 * 82 / 12))),
        4e-3);
}

TEST(RankSum, many_values_stay_countable) {
  std::vector<double> many(50'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i % 97);
  const rank_sum_sample sample(many, many);
  EXPECT_NEAR(sample.estimate(), 0.0, 1.0);
}

}  // namespace
}  // namespace assay::compare
