// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a table could promise "sees 3 %" of rows that let 10 % pass.
#include <cmath>

#include <gmock/gmock.h>

#include "harness/compare/signed_rank.h"
#include "harness/compare/visible_change.h"
#include "tests/compare/noisy_rows.h"

namespace assay::compare {
namespace {

using compare_test::noise;

// Fresh noise, the shift that was promised, the test itself: how often is it found?
double power_at(double shift, double deviation, double margin,
                const std::vector<rule_of_stage>& stages, unsigned seed) {
  noise draw(seed);
  int found = 0;
  constexpr int tries = 400;
  for (int i = 0; i < tries; ++i) {
    bool is_found = true;
    for (const rule_of_stage& stage : stages) {
      std::vector<double> differences(stage.pairs);
      for (double& d : differences) d = shift + deviation * draw();
      is_found =
          signed_rank_sample(differences).p_of_at_most(signed_rank_null(stage.pairs), margin) <=
              stage.level &&
          is_found;
    }
    found += is_found;
  }
  return found / static_cast<double>(tries);
}

double mean_power(double deviation, double margin, const std::vector<rule_of_stage>& stages,
                  std::size_t learned_from) {
  noise draw(4);
  double sum = 0.0;
  constexpr unsigned rows = 12;
  for (unsigned row = 0; row < rows; ++row) {
    std::vector<double> differences(learned_from);
    for (double& d : differences) d = 0.03 + deviation * draw();
    const auto shift = visible_shift(differences, margin, stages, row);
    if (!shift) return -1;
    sum += power_at(*shift, deviation, margin, stages, 1000 + row);
  }
  return sum / rows;
}

TEST(VisibleChange, what_it_promises_is_found_four_times_of_five) {
  EXPECT_NEAR(mean_power(0.02, std::log(1.02), {{32, 0.0025}}, 32), 0.8, 0.1);
  EXPECT_NEAR(mean_power(0.10, std::log(1.02), {{12, 0.2}, {32, 0.01}}, 32), 0.8, 0.1);
  EXPECT_NEAR(mean_power(0.05, std::log(1.10), {{20, 0.05}}, 20), 0.8, 0.1);
}

TEST(VisibleChange, lies_beyond_the_margin_and_grows_with_the_noise) {
  noise draw(8);
  std::vector<double> quiet(20);
  for (double& d : quiet) d = 0.01 * draw();
  std::vector<double> loud = quiet;
  for (double& d : loud) d *= 10;
  const auto small = visible_shift(quiet, 0.02, {{20, 0.01}}, 1);
  const auto large = visible_shift(loud, 0.02, {{20, 0.01}}, 1);
  ASSERT_TRUE(small && large);
  EXPECT_GT(*small, 0.02);
  EXPECT_NEAR((*large - 0.02) / (*small - 0.02), 10.0, 1e-9);
  EXPECT_EQ(small, visible_shift(quiet, 0.02, {{20, 0.01}}, 1)) << "the seed decides";
}

TEST(VisibleChange, is_absent_where_it_could_not_be_known_or_seen) {
  const std::vector<double> five(5, 0.1);
  EXPECT_FALSE(visible_shift(five, 0.02, {{20, 0.01}}, 1));
  std::vector<double> enough(12, 0.1);
  enough[3] = 0.2;
  EXPECT_FALSE(visible_shift(enough, 0.02, {{4, 0.01}}, 1)) << "four pairs cannot reject at 1 %";
  EXPECT_FALSE(visible_shift(enough, 0.02, {{12, 0.2}, {0, 0.01}}, 1));
  EXPECT_TRUE(visible_shift(enough, 0.02, {{12, 0.2}}, 1));
}

}  // namespace
}  // namespace assay::compare
