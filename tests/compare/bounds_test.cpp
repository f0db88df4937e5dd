// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, "0 red of 300 runs" could be published with a bound that it does not carry, and a
// table of many rows could call one of them red by chance.
#include <gmock/gmock.h>

#include "harness/compare/binomial_bound.h"
#include "harness/compare/multiplicity.h"

namespace assay::compare {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(Binomial, no_event_has_the_bound_that_a_pocket_calculator_gives) {
  // 1 − 0.05^(1/300)
  EXPECT_NEAR(rate_at_most(0, 300, 0.95), 0.0099361, 1e-6);
  EXPECT_NEAR(rate_at_most(0, 1, 0.95), 0.95, 1e-9);
  EXPECT_NEAR(rate_at_most(0, 10, 0.975), 0.3084971, 1e-6);
}

// Published Clopper–Pearson limits: 2 of 300 one-sided 95 % is 2.1 %; 2 of 32 two-sided is
// 0.8–20.8 %; 7 of 20 two-sided is 15.39–59.22 %.
TEST(Binomial, limits_are_the_published_ones) {
  EXPECT_NEAR(rate_at_most(2, 300, 0.95), 0.0208, 1e-4);
  EXPECT_NEAR(rate_at_most(0, 150, 0.95), 0.0198, 1e-4);
  EXPECT_NEAR(rate_at_most(2, 32, 0.975), 0.208, 5e-4);
  EXPECT_NEAR(rate_at_least(2, 32, 0.975), 0.0077, 1e-4);
  EXPECT_NEAR(rate_at_most(7, 20, 0.975), 0.5922, 1e-4);
  EXPECT_NEAR(rate_at_least(7, 20, 0.975), 0.1539, 1e-4);
}

TEST(Binomial, ends_are_ends) {
  EXPECT_EQ(rate_at_most(5, 5, 0.95), 1.0);
  EXPECT_NEAR(rate_at_least(0, 5, 0.95), 0.0, 1e-15);
  EXPECT_NEAR(rate_at_least(5, 5, 0.95), std::pow(0.05, 0.2), 1e-9);
}

// Worked by hand: 4 × .01, then 3 × .02, then 2 × .03 ≥ .06, then .04 held up by what went before.
TEST(Holm, adjusts_as_by_hand) {
  EXPECT_THAT(holm_adjusted({0.04, 0.01, 0.03, 0.02}),
              ElementsAre(DoubleNear(0.06, 1e-12), DoubleNear(0.04, 1e-12), DoubleNear(0.06, 1e-12),
                          DoubleNear(0.06, 1e-12)));
  EXPECT_THAT(holm_adjusted({0.5, 0.9}), ElementsAre(1.0, 1.0));
  EXPECT_THAT(holm_adjusted({0.02}), ElementsAre(0.02));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(Holm, one_strong_row_of_a_hundred_stands_and_a_weak_one_does_not) {
  std::vector<double> p(100, 0.6);
  p[17] = 0.0004;
  p[63] = 0.0009;
  const auto adjusted = holm_adjusted(p);
  EXPECT_LE(adjusted[17], 0.05);
  EXPECT_GT(adjusted[63], 0.05);
}

}  // namespace
}  // namespace assay::compare
