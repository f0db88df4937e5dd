// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these, a launch could be paced by one that moved itself, or lose by a fitted slope what
// lies between the sides.
#include "harness/attribution/step_pace.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace assay::attribution_test {
namespace {

// Where it is the third of a step, and the others are few, a tenth more of it is no pace.
TEST(StepPace, one_that_moved_is_no_pace_for_the_others) {
  std::vector<attribution::launch_times> launches;
  for (const std::int64_t ns : {40'000, 30'000, 20'000, 10'000, 50'000}) {
    auto& of = launches.emplace_back();
    for (int run = 0; run < 8; ++run) of.emplace_back(9, run >= 4 && ns == 50'000 ? 2 * ns : ns);
  }
  const attribution::step_pace pace(launches, 4);
  EXPECT_TRUE(pace.has_pace(1));
  EXPECT_FALSE(pace.has_pace(2));
  const std::vector<bool> moved{false, false, false, false, true};
  for (std::size_t which = 0; which < 4; ++which)
    EXPECT_NEAR(static_cast<double>(pace.numbers(which, moved)[7]),
                static_cast<double>(launches[which][7][0]), 2.0);
  EXPECT_NEAR(static_cast<double>(pace.numbers(4, moved)[7]) /
                  static_cast<double>(pace.numbers(4, moved)[0]),
              2.0, 0.01);
}

// Between 16 runs a slope as small as this one is mostly scatter: taking it out would take away a
// part of what lies between the sides.
TEST(StepPace, one_that_follows_a_little_less_than_the_others_is_taken_to_follow) {
  std::vector<attribution::launch_times> launches(5);
  for (std::size_t which = 0; which < 5; ++which)
    for (int run = 0; run < 8; ++run)
      launches[which].emplace_back(
          9, std::llround(30'000 * std::pow(1.0 + 0.1 * run, which == 0 ? 0.7 : 1.0)));
  const auto numbers = attribution::step_pace(launches, 4).numbers(0, std::vector<bool>(5, false));
  EXPECT_NEAR(static_cast<double>(numbers[7]) / static_cast<double>(numbers[0]),
              std::pow(1.7, -0.3), 0.001);
}

}  // namespace
}  // namespace assay::attribution_test
