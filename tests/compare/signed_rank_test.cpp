// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, every p value and interval of a comparison could be wrong by a rank and the table
// would look as it does. The references share nothing with the code: sign vectors are enumerated
// one by one, and figures from printed tables stand as literals.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include <gmock/gmock.h>

#include "harness/compare/signed_rank.h"

namespace assay::compare {
namespace {

using testing::DoubleNear;
using testing::Optional;

// P(W ≥ w) by looking at all 2ⁿ ways to sign the ranks 1 … n.
double enumerated_tail(std::size_t pairs, std::size_t w) {
  const std::uint32_t ways = 1U << pairs;
  std::uint32_t hits = 0;
  for (std::uint32_t signs = 0; signs < ways; ++signs) {
    std::size_t sum = 0;
    for (std::size_t rank = 1; rank <= pairs; ++rank)
      if ((signs >> (rank - 1)) & 1U) sum += rank;
    hits += sum >= w;
  }
  return static_cast<double>(hits) / ways;
}

// The textbook statistic: rank |dᵢ − at|, add the ranks of the positive ones. No ties, no zeros.
std::size_t ranked_sum(const std::vector<double>& differences, double at) {
  std::vector<double> left;
  for (const double d : differences) left.push_back(d - at);
  std::sort(left.begin(), left.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  std::size_t sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i] > 0) sum += i + 1;
  return sum;
}

std::vector<double> drawn(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<double> values(count);
  // 2⁻³² is fine enough that no two absolute values coincide.
  for (double& v : values) v = static_cast<double>(engine()) / 4294967296.0 - 0.4;
  return values;
}

TEST(SignedRank, null_is_what_all_sign_vectors_give) {
  for (std::size_t pairs = 1; pairs <= 16; ++pairs) {
    const signed_rank_null null(pairs);
    const std::size_t most = pairs * (pairs + 1) / 2;
    for (std::size_t w = 0; w <= most + 1; w += pairs > 12 ? 7 : 1)
      ASSERT_NEAR(null.upper_tail(w), enumerated_tail(pairs, w), 1e-13) << pairs << ' ' << w;
  }
}

// Critical values of printed tables (Wilcoxon 1947; Hollander, Wolfe and Chicken, table A.4): the
// largest T with P(W ≤ T) ≤ level, one-sided.
TEST(SignedRank, critical_values_are_those_of_the_printed_table) {
  struct entry {
    std::size_t pairs;
    int at_5_percent, at_2_5_percent, at_1_percent, at_half_percent;
  };
  for (const entry& e :
       {entry{5, 0, -1, -1, -1}, entry{6, 2, 0, -1, -1}, entry{7, 3, 2, 0, -1},
        entry{8, 5, 3, 1, 0}, entry{9, 8, 5, 3, 1}, entry{10, 10, 8, 5, 3}, entry{12, 17, 13, 9, 7},
        entry{15, 30, 25, 19, 15}, entry{20, 60, 52, 43, 37}, entry{25, 100, 89, 76, 68},
        entry{30, 151, 137, 120, 109}}) {
    const signed_rank_null null(e.pairs);
    // rank_of_bound is k with P(W ≤ k − 1) ≤ level, so it is the table's T + 1.
    EXPECT_EQ(null.rank_of_bound(0.05), static_cast<std::size_t>(e.at_5_percent + 1)) << e.pairs;
    EXPECT_EQ(null.rank_of_bound(0.025), static_cast<std::size_t>(e.at_2_5_percent + 1)) << e.pairs;
    EXPECT_EQ(null.rank_of_bound(0.01), static_cast<std::size_t>(e.at_1_percent + 1)) << e.pairs;
    EXPECT_EQ(null.rank_of_bound(0.005), static_cast<std::size_t>(e.at_half_percent + 1))
        << e.pairs;
  }
}

TEST(SignedRank, p_is_the_share_of_sign_vectors_that_are_as_extreme) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::size_t pairs = 1 + seed % 14;
    const std::vector<double> differences = drawn(pairs, seed);
    const signed_rank_sample sample(differences);
    const signed_rank_null null(pairs);
    for (const double at : {-0.31, -0.02, 0.017, 0.25}) {
      const std::size_t w = ranked_sum(differences, at);
      ASSERT_NEAR(sample.p_of_at_most(null, at), enumerated_tail(pairs, w), 1e-13);
      const std::size_t mirrored = pairs * (pairs + 1) / 2 - w;
      ASSERT_NEAR(sample.p_of_at_least(null, at), enumerated_tail(pairs, mirrored), 1e-13);
    }
  }
}

// Darwin's maize: crossed less self-fertilised, 15 pots, eighths of an inch. Worked by hand: of the
// absolute values 67 has rank 14 and 48 has rank 10, so the negative ranks add up to 24. R's
// wilcox.test gives the pseudomedian 25 and, two-sided, p = 0.04126.
TEST(SignedRank, darwins_maize) {
  const std::vector<double> maize{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
  const signed_rank_sample sample(maize);
  const signed_rank_null null(15);
  EXPECT_NEAR(sample.p_of_at_most(null, 0.0), enumerated_tail(15, 120 - 24), 1e-13);
  EXPECT_THAT(sample.p_of_at_most(null, 0.0), DoubleNear(0.04126 / 2, 1e-5));
  EXPECT_DOUBLE_EQ(sample.estimate(), 25);
}

TEST(SignedRank, interval_holds_exactly_the_centres_that_are_not_rejected) {
  for (unsigned seed = 100; seed < 140; ++seed) {
    const std::size_t pairs = 6 + seed % 9;
    const std::vector<double> differences = drawn(pairs, seed);
    const signed_rank_sample sample(differences);
    const signed_rank_null null(pairs);
    const auto found = sample.interval(null, 0.9);
    ASSERT_TRUE(found);
    for (int step = -60; step <= 60; ++step) {
      const double at = 0.0113 * step;
      const bool is_rejected =
          enumerated_tail(pairs, ranked_sum(differences, at)) <= 0.05 ||
          enumerated_tail(pairs, pairs * (pairs + 1) / 2 - ranked_sum(differences, at)) <= 0.05;
      ASSERT_EQ(is_rejected, at < found->low || at > found->high) << at;
    }
  }
}

TEST(SignedRank, estimate_is_the_median_of_all_pairwise_means) {
  EXPECT_DOUBLE_EQ(signed_rank_sample({1.0, 5.0, 100.0}).estimate(), 27.75);
  EXPECT_DOUBLE_EQ(signed_rank_sample({3.0}).estimate(), 3.0);
  // One wild pair of nine hardly moves it; the mean would be 111.
  EXPECT_LT(signed_rank_sample({1, 1, 1, 1, 1, 1, 1, 1, 1000}).estimate(), 1.5);
}

TEST(SignedRank, pairs_on_the_centre_and_pairs_that_cancel_count_against_rejection) {
  const signed_rank_null null(6);
  EXPECT_DOUBLE_EQ(signed_rank_sample({0, 0, 0, 0, 0, 0}).p_of_at_most(null, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(signed_rank_sample({0, 0, 0, 0, 0, 0}).p_of_at_least(null, 0.0), 1.0);
  // Equal positive differences lose nothing: no tie between signs.
  EXPECT_DOUBLE_EQ(signed_rank_sample({2, 2, 2, 2, 2, 2}).p_of_at_most(null, 0.0), 1.0 / 64);
  // −2 ties with every 2: it takes the highest rank, 6.
  EXPECT_DOUBLE_EQ(signed_rank_sample({2, 2, 2, 2, 2, -2}).p_of_at_most(null, 0.0),
                   enumerated_tail(6, 15));
}

// All 2⁸ sign vectors of tied magnitudes, zeros among them: never more rejections than the level.
TEST(SignedRank, error_stays_below_its_level_whatever_the_ties) {
  const signed_rank_null null(8);
  for (const std::vector<double>& sizes : {std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1},
                                           {0, 0, 1, 1, 2, 2, 3, 3},
                                           {1, 2, 2, 3, 3, 3, 4, 5},
                                           {0, 1, 1, 1, 5, 5, 5, 9}}) {
    for (const double level : {0.01, 0.05, 0.2}) {
      int rejected = 0;
      for (std::uint32_t signs = 0; signs < 256; ++signs) {
        std::vector<double> differences = sizes;
        for (std::size_t i = 0; i < 8; ++i)
          if ((signs >> i) & 1U) differences[i] = -differences[i];
        rejected += signed_rank_sample(differences).p_of_at_most(null, 0.0) <= level;
      }
      EXPECT_LE(rejected / 256.0, level);
    }
  }
}

TEST(SignedRank, too_few_pairs_have_no_interval) {
  EXPECT_FALSE(signed_rank_sample({1, 2, 3, 4}).interval(signed_rank_null(4), 0.9));
  EXPECT_TRUE(signed_rank_sample({1, 2, 3, 4, 5}).interval(signed_rank_null(5), 0.9));
  EXPECT_EQ(pairs_needed(0.05), 5U);
  EXPECT_EQ(pairs_needed(0.05 / 20), 9U);     // 10 rows, both directions
  EXPECT_EQ(pairs_needed(0.05 / 200), 12U);   // 100 rows
  EXPECT_EQ(pairs_needed(0.05 / 2000), 16U);  // 1000 rows
}

TEST(SignedRank, approximation_joins_the_exact_distribution) {
  const signed_rank_null exact(signed_rank_null::exact_pairs);
  const signed_rank_null approximate(signed_rank_null::exact_pairs + 1);
  const double mean = 401.0 * 402 / 4;
  const double deviation = std::sqrt(401.0 * 402 * 803 / 24);
  const double exact_mean = 400.0 * 401 / 4;
  const double exact_deviation = std::sqrt(400.0 * 401 * 801 / 24);
  for (const double z : {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0}) {
    const double near =
        exact.upper_tail(static_cast<std::size_t>(exact_mean + z * exact_deviation));
    const double far = approximate.upper_tail(static_cast<std::size_t>(mean + z * deviation));
    EXPECT_NEAR(near, far, 2e-4) << z;
  }
}

}  // namespace
}  // namespace assay::compare
