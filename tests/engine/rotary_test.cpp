// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the three bands of llama3 scaling could be cut at the wrong frequency for the
// shapes of published models, which no fixture has. The numbers come from the formula in double
// precision, in another language.
#include <vector>

#include <gtest/gtest.h>

#include "runtime/ops/rotary_frequency.h"

namespace assay::ops {
namespace {

struct wanted {
  std::uint32_t pair;
  double plain;
  double scaled;
};

void expect_frequencies(std::uint32_t head_dim, double theta, const rotary_scaling& scaling,
                        const std::vector<wanted>& all) {
  for (const wanted& each : all) {
    const float plain = rotary_frequency(each.pair, head_dim, theta, {});
    const float scaled = rotary_frequency(each.pair, head_dim, theta, scaling);
    EXPECT_NEAR(plain / each.plain, 1.0, 3e-7) << "pair " << each.pair;
    EXPECT_NEAR(scaled / each.scaled, 1.0, 2e-6) << "pair " << each.pair;
  }
}

// Pairs 29 to 34 lie in the band between.
TEST(RotaryFrequency, of_llama_3_1_8b) {
  expect_frequencies(128, 500000.0, {8.0F, 1.0F, 4.0F, 8192.0F},
                     {{0, 1.0, 1.0},
                      {1, 0.8146172338565447, 0.8146172338565447},
                      {29, 0.0026160992529250353, 0.002166570763503359},
                      {30, 0.0021311195369119653, 0.0013718935677611381},
                      {34, 0.0009384738703573802, 0.00017850781276799646},
                      {63, 2.455140791131609e-06, 3.068925988914511e-07}});
}

TEST(RotaryFrequency, of_llama_3_2_1b) {
  expect_frequencies(64, 500000.0, {32.0F, 1.0F, 4.0F, 8192.0F},
                     {{1, 0.6636012376960885, 0.6636012376960885},
                      {15, 0.0021311195369119653, 0.0012905479282092635},
                      {16, 0.001414213562373095, 0.0004295567965593682},
                      {17, 0.0009384738703573802, 9.708287802627677e-05},
                      {31, 3.013858152139171e-06, 9.41830672543491e-08}});
}

// Every pair stays, stretches, or lies between: nothing is left out at the edges of the band.
TEST(RotaryFrequency, falls_from_pair_to_pair_with_and_without_scaling) {
  const rotary_scaling scaling{8.0F, 1.0F, 4.0F, 64.0F};
  for (std::uint32_t pair = 1; pair < 16; ++pair) {
    const float plain = rotary_frequency(pair, 32, 10000.0, {});
    const float scaled = rotary_frequency(pair, 32, 10000.0, scaling);
    EXPECT_LT(scaled, rotary_frequency(pair - 1, 32, 10000.0, scaling));
    EXPECT_LE(scaled, plain);
    EXPECT_GE(scaled, plain / 8.0F);
    EXPECT_EQ(scaled == plain, pair < 2) << pair;
    EXPECT_EQ(scaled == plain / 8.0F, pair > 4) << pair;
  }
}

}  // namespace
}  // namespace assay::ops
