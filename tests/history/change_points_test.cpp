// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a step in a trend could pass for noise, or noise for a step.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/history/change_points.h"
#include "harness/history/trends.h"

namespace assay::history {
namespace {

// Not std::normal_distribution, which is another on another library: a sum of twelve.
std::vector<double> noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    for (int i = 0; i < 12; ++i) value += static_cast<double>(random() >> 11) * 0x1p-53;
    value -= 6.0;
  }
  return values;
}

TEST(ChangePoints, finds_a_step_where_it_is) {
  std::vector<double> values = noise(60, 1);
  for (std::size_t i = 40; i < values.size(); ++i) values[i] += 5.0;
  const auto found = change_points(values);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first, 40U);
  EXPECT_NEAR(found[0].after - found[0].before, 5.0, 1.0);
  EXPECT_LE(found[0].p_value, 0.01);
}

TEST(ChangePoints, finds_two_and_reports_each_against_its_neighbours) {
  std::vector<double> values = noise(90, 2);
  for (std::size_t i = 30; i < 60; ++i) values[i] += 8.0;
  const auto found = change_points(values);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].first, 30U);
  EXPECT_EQ(found[1].first, 60U);
  EXPECT_NEAR(found[0].after, found[1].before, 1e-12);
  EXPECT_NEAR(found[0].before, found[1].after, 1.0);
}

TEST(ChangePoints, is_rarely_wrong_about_noise) {
  int wrong = 0;
  constexpr int series = 200;
  for (int i = 0; i < series; ++i)
    if (!change_points(noise(30, 100 + static_cast<std::uint64_t>(i))).empty()) ++wrong;
  // 5 % of 200 are 10; more than 20 of 200 happen once in a thousand such tests.
  EXPECT_LE(wrong, 20);
  EXPECT_GE(wrong, 1) << "a test at 5 % that never errs in 200 does not test at 5 %";
}

// What a history of many series needs: 50 of noise at once, ten times.
TEST(ChangePoints, of_many_series_are_tested_as_many) {
  const change_rules rules = rules_for(50);
  EXPECT_DOUBLE_EQ(rules.significance, 0.001);
  EXPECT_GE(rules.permutations, 999U);
  int wrong = 0;
  for (int i = 0; i < 500; ++i)
    if (!change_points(noise(20, 1000 + static_cast<std::uint64_t>(i)), rules).empty()) ++wrong;
  EXPECT_LE(wrong, 4);
  std::vector<double> values = noise(40, 5);
  for (std::size_t i = 20; i < values.size(); ++i) values[i] += 4.0;
  EXPECT_EQ(change_points(values, rules).size(), 1U);
}

series step_of(std::size_t count, const std::string& name) {
  series made{"audit", name, "", "bytes", {}, 0, {}};
  for (std::size_t i = 0; i < count; ++i)
    made.points.push_back({"c", static_cast<std::int64_t>(i), i < count / 2 ? 1.0 : 2.0});
  return made;
}

// The clearest of steps, in all of them: what is called searched must be able to show it.
TEST(Trends, searches_no_series_in_which_it_could_find_nothing) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{4}, std::size_t{15}})
    for (std::size_t values = 8; values < 14; ++values) {
      std::vector<series> all;
      for (std::size_t i = 0; i < count; ++i) all.push_back(step_of(values, std::to_string(i)));
      const model::trend_report found = trends_of(all);
      std::size_t searched = 0, changed = 0;
      for (const model::trend_series& each : found.series) {
        searched += each.is_searched ? 1 : 0;
        changed += each.changes.empty() ? 0 : 1;
      }
      EXPECT_TRUE(searched == 0 || searched == count);
      EXPECT_EQ(changed, searched) << count << " series of " << values;
      EXPECT_EQ(searched > 0, values >= found.least_points);
    }
  EXPECT_EQ(trends_of({step_of(10, "one")}).series[0].changes.size(), 1U);
  EXPECT_EQ(least_values(rules_for(15)), 12U) << "2 in 924 orders is less than 0.05 / 15";
  EXPECT_GE(least_values(rules_for(66)), 14U) << "and more than 0.05 / 66";
}

TEST(ChangePoints, equal_values_and_few_values_hold_none) {
  EXPECT_TRUE(change_points(std::vector<double>(50, 3.0)).empty());
  EXPECT_TRUE(change_points(std::vector<double>{1, 1, 1, 9, 9, 9, 9, 9, 9}).empty());
  EXPECT_TRUE(change_points({}).empty());
}

TEST(ChangePoints, one_value_out_of_line_is_no_change) {
  std::vector<double> values = noise(40, 3);
  values[20] += 30.0;
  EXPECT_TRUE(change_points(values).empty());
}

TEST(ChangePoints, the_same_values_give_the_same_places) {
  std::vector<double> values = noise(40, 4);
  for (std::size_t i = 20; i < values.size(); ++i) values[i] += 1.5;
  const auto first = change_points(values);
  const auto again = change_points(values);
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].first, again[i].first);
    EXPECT_EQ(first[i].p_value, again[i].p_value);
  }
}

}  // namespace
}  // namespace assay::history
