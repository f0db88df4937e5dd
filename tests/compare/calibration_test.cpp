// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a floor could be that of another row or machine, rest on comparisons that overlap,
// or on too few of them.
#include <cmath>
#include <map>
#include <utility>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "harness/compare/calibration.h"
#include "harness/compare/paired_comparison.h"
#include "tests/compare/noisy_rows.h"

namespace assay::compare {
namespace {

using compare_test::noise;
using compare_test::noisy_row;
using model::row_state;
using testing::HasSubstr;

// Processes of equal builds, `pairs` of them, as noisy as said.
run_log equal_builds(const std::string& name, std::size_t pairs, double noise_ln, unsigned seed) {
  run_log log;
  log.facts = {{"processor", "EPYC"}, {"cores", "2"}};
  log.subjects.push_back({name, "real_time", {"base"}, {"head"}, false, false});
  noise draw(seed);
  for (std::uint32_t i = 0; i < pairs * 2; ++i) {
    process_record record;
    const bool is_base = i % 4 == 0 || i % 4 == 3;
    record.place = {0, is_base ? side::base : side::head, i / 4, i % 4};
    model::sample_row row;
    row.name = name;
    row.metric = "real_time";
    row.unit = "ns";
    row.better = model::direction::lower_is_better;
    row.process_values = {1000 * std::exp(noise_ln * draw())};
    record.rows = {row};
    log.records.push_back(record);
  }
  return log;
}

TEST(Calibration, conformal_bound_is_the_rank_that_covers_a_further_value) {
  std::vector<double> values;
  for (int i = 1; i <= 40; ++i) values.push_back(i);
  EXPECT_EQ(conformal_bound(values, 0.95), 39.0);  // ⌈.95 · 41⌉
  values.resize(19);
  EXPECT_EQ(conformal_bound(values, 0.95), 19.0);
  values.resize(18);
  EXPECT_EQ(conformal_bound(values, 0.95), std::nullopt);
}

TEST(Calibration, comparisons_do_not_overlap_and_are_counted) {
  const auto floors =
      calibrate({equal_builds("a", 400, 0.1, 1), equal_builds("a", 130, 0.1, 2)}, 10);
  ASSERT_TRUE(floors);
  ASSERT_EQ(floors->rows.size(), 1U);
  EXPECT_EQ(floors->rows[0].result_count, 53U);
  // The median of ten differences, each of deviation 0.14, has one of about 0.047.
  EXPECT_GT(floors->rows[0].floor_ratio, 0.05);
  EXPECT_LT(floors->rows[0].floor_ratio, 0.18);
}

TEST(Calibration, few_results_take_those_of_the_family_or_stay_out) {
  const auto floors = calibrate({equal_builds("f/1", 250, 0.1, 1), equal_builds("f/2", 250, 0.1, 2),
                                 equal_builds("alone", 250, 0.1, 3)},
                                10);
  ASSERT_TRUE(floors);
  ASSERT_EQ(floors->rows.size(), 2U);
  EXPECT_TRUE(floors->rows[0].is_of_family);
  EXPECT_EQ(floors->rows[0].result_count, 50U);
  EXPECT_EQ(floors->rows[0].floor_ratio, floors->rows[1].floor_ratio);
  EXPECT_THAT(floors->uncalibrated, testing::ElementsAre("alone"));
}

// Processes of a head that one way of linking moves by `shift_ln`.
run_log linked(const std::string& link, const std::string& name, double shift_ln, unsigned seed,
               std::size_t pairs = 40) {
  run_log log = equal_builds(name, pairs, 0.002, seed);
  log.facts.push_back({"head code", link});
  for (process_record& each : log.records)
    if (each.place.side == side::head) each.rows[0].process_values[0] *= std::exp(shift_ln);
  return log;
}

std::map<std::string, row_floor> floors_by_name(const std::vector<run_log>& logs) {
  const auto floors = calibrate(logs, 10);
  EXPECT_TRUE(floors);
  std::map<std::string, row_floor> by_name;
  for (const row_floor& each : floors->rows) by_name[each.name] = each;
  return by_name;
}

// Ten links of which one moves one row of ten by a quarter: a hundredth of the family's results,
// and below any quantile that is pooled over them. A change that is linked like that one was red.
TEST(Calibration, one_link_in_ten_that_moves_one_row_makes_its_floor_and_no_other) {
  std::vector<run_log> logs;
  unsigned seed = 0;
  for (int link = 0; link < 10; ++link)
    for (int row = 0; row < 10; ++row)
      logs.push_back(linked(std::to_string(link), "f/" + std::to_string(row),
                            link == 3 && row == 4 ? 0.22 : 0.0, ++seed, 20));
  const auto floors = floors_by_name(logs);
  ASSERT_EQ(floors.size(), 10U);
  for (const auto& [name, floor] : floors) {
    if (name == "f/4")
      EXPECT_NEAR(floor.floor_ratio, std::expm1(0.22), 0.01);
    else
      EXPECT_LT(floor.floor_ratio, 0.005) << name;
  }
}

// Both ways: a base may be linked like the one and a head like the other.
TEST(Calibration, links_that_move_a_row_both_ways_are_as_far_apart_as_they_lie) {
  std::vector<run_log> logs;
  unsigned seed = 0;
  for (const auto& [link, shift] : {std::pair{"a", 0.1}, {"b", -0.05}, {"c", 0.0}})
    for (int i = 0; i < 4; ++i) logs.push_back(linked(link, "row", shift, ++seed));
  const auto floors = floors_by_name(logs);
  EXPECT_NEAR(floors.at("row").floor_ratio, std::expm1(0.15), 0.01);
  EXPECT_FALSE(floors.at("row").is_of_family);
}

// One code in many sizes: each link moves other sizes furthest, so each has the largest.
TEST(Calibration, family_of_which_links_move_most_rows_has_the_largest_of_their_spreads) {
  std::vector<run_log> logs;
  unsigned seed = 0;
  for (const char* link : {"a", "b", "c", "d"})
    for (int row = 0; row < 3; ++row)
      logs.push_back(
          linked(link, "f/" + std::to_string(row), link[0] == 'b' ? 0.1 * row : 0.0, ++seed));
  const auto floors = floors_by_name(logs);
  ASSERT_EQ(floors.size(), 3U);
  for (const auto& each : floors) {
    EXPECT_NEAR(each.second.floor_ratio, std::expm1(0.2), 0.01) << each.first;
    EXPECT_EQ(each.second.is_spread_of_family, each.first != "f/2");
  }
}

TEST(Calibration, logs_of_two_machines_are_refused) {
  run_log other = equal_builds("a", 20, 0.1, 2);
  other.facts[1].value = "64";
  const auto floors = calibrate({equal_builds("a", 20, 0.1, 1), other}, 10);
  ASSERT_FALSE(floors);
  EXPECT_THAT(floors.error().message, HasSubstr("two machines"));
}

TEST(Calibration, file_is_read_as_it_was_written) {
  const auto floors = calibrate({equal_builds("a", 400, 0.1, 1)}, 10);
  ASSERT_TRUE(floors);
  const std::string text = calibration_as_json(*floors);
  const auto again = parse_calibration(text, "f.json");
  ASSERT_TRUE(again);
  EXPECT_EQ(calibration_as_json(*again), text);
  EXPECT_THAT(parse_calibration("{}", "f.json").error().message, HasSubstr("f.json: "));
  EXPECT_FALSE(parse_calibration("[", "f.json"));
  // The wider one of two would hide what the other shows.
  nlohmann::json twice = nlohmann::json::parse(text);
  twice["rows"].push_back(twice["rows"].front());
  const auto doubled = parse_calibration(twice.dump(), "f.json");
  ASSERT_FALSE(doubled);
  EXPECT_THAT(doubled.error().message, HasSubstr("two floors of one row"));
}

TEST(Calibration, each_row_is_judged_by_its_own_floor) {
  noise draw(6);
  decision_rules rules;
  rules.floor_source = "floor of this class of machine";
  rules.floor_of_row = {{"quiet", 0.005}, {"loud", 0.3}};
  const std::vector<paired_row> rows{noisy_row("quiet", {.shift_ln = 0.06}, draw),
                                     noisy_row("loud", {.shift_ln = 0.06}, draw),
                                     noisy_row("unknown", {.shift_ln = 0.06}, draw)};
  const auto report = judge_pairs(rows, rules);
  EXPECT_EQ(report.rows[0].state, row_state::regressed);
  EXPECT_EQ(report.rows[0].margin_source, "threshold");
  EXPECT_EQ(report.rows[1].state, row_state::unchanged);
  EXPECT_EQ(report.rows[1].margin_source, "floor of this class of machine");
  EXPECT_EQ(report.rows[2].state, row_state::unchanged);
  EXPECT_EQ(report.rows[2].margin_source, "floor of an uncalibrated runner");
}

}  // namespace
}  // namespace assay::compare
