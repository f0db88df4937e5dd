// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a table could be red on nothing, green for lack of a test, or silent about a row.
#include <cmath>

#include <gmock/gmock.h>

#include "harness/compare/paired_comparison.h"
#include "harness/compare/row_decision.h"
#include "reports/model/comparison_outcome.h"
#include "tests/compare/noisy_rows.h"

namespace assay::compare {
namespace {

using compare_test::noise;
using compare_test::noisy_row;
using compare_test::pairs_of;
using compare_test::row_truth;
using model::outcome;
using model::row_state;
using testing::HasSubstr;

decision_rules calibrated(double threshold_ratio = 0.02) {
  decision_rules rules;
  rules.threshold_ratio = threshold_ratio;
  rules.floor_ratio = 0.0;
  rules.floor_source = "floor of the test";
  return rules;
}

row_state state_of(const paired_row& row, const decision_rules& rules) {
  return judge_pairs({row}, rules).rows.at(0).state;
}

std::vector<paired_row> table(std::size_t count, const row_truth& truth, noise& draw) {
  std::vector<paired_row> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(noisy_row("row " + std::to_string(i), truth, draw));
  return rows;
}

TEST(Decision, planted_changes_are_called_by_their_name) {
  noise draw(1);
  EXPECT_EQ(state_of(noisy_row("slower", {.shift_ln = 0.10}, draw), calibrated()),
            row_state::regressed);
  EXPECT_EQ(state_of(noisy_row("faster", {.shift_ln = -0.10}, draw), calibrated()),
            row_state::improved);
  EXPECT_EQ(state_of(noisy_row("alike", {.noise_ln = 0.005}, draw), calibrated()),
            row_state::unchanged);
  EXPECT_EQ(state_of(noisy_row("loud", {.noise_ln = 0.3}, draw), calibrated()),
            row_state::inconclusive);
}

TEST(Decision, what_lies_within_the_margin_is_no_finding_however_sure) {
  noise draw(2);
  const paired_row row = noisy_row("3 % for certain", {.shift_ln = 0.03, .noise_ln = 1e-4}, draw);
  EXPECT_EQ(state_of(row, calibrated(0.02)), row_state::regressed);
  EXPECT_EQ(state_of(row, calibrated(0.05)), row_state::unchanged);
  decision_rules uncalibrated;
  EXPECT_EQ(state_of(row, uncalibrated), row_state::unchanged) << "the floor is 10 %";
  decision_rules floor = calibrated(0.02);
  floor.floor_ratio = 0.04;
  const auto report = judge_pairs({row}, floor);
  EXPECT_EQ(report.rows[0].state, row_state::unchanged);
  EXPECT_EQ(report.rows[0].margin_source, "floor of the test");
}

TEST(Decision, direction_decides_which_way_is_worse) {
  noise draw(3);
  paired_row row = noisy_row("rate", {.shift_ln = 0.10}, draw);
  row.better = model::direction::higher_is_better;
  const auto report = judge_pairs({row}, calibrated());
  EXPECT_EQ(report.rows[0].state, row_state::improved);
  EXPECT_NEAR(*report.rows[0].change_ratio, 0.105, 0.01) << "the change is head over base as it is";
  ASSERT_TRUE(report.rows[0].interval);
  EXPECT_LT(report.rows[0].interval->low_ratio, report.rows[0].interval->high_ratio);
  row.better = model::direction::unknown;
  const auto unknown = judge_pairs({row}, calibrated());
  EXPECT_EQ(unknown.rows[0].state, row_state::inconclusive);
  EXPECT_THAT(unknown.rows[0].reason, HasSubstr("unknown"));
}

TEST(Decision, screen_alone_never_finds) {
  noise draw(4);
  paired_row row = noisy_row("screened", {.shift_ln = 0.10}, draw);
  row.confirm.clear();
  EXPECT_TRUE(rows_to_confirm({row}, calibrated()) == std::vector<std::size_t>{0});
  const auto report = judge_pairs({row}, calibrated());
  EXPECT_EQ(report.rows[0].state, row_state::inconclusive);
  EXPECT_THAT(report.rows[0].reason, HasSubstr("no fresh pairs"));
}

// A budget that the screen used up, or a confirmation that is too short to find anything.
TEST(Decision, a_row_that_looked_worse_and_was_not_followed_up_is_not_clean) {
  noise draw(4);
  std::vector<paired_row> rows = table(3, {.noise_ln = 0.004}, draw);
  rows.push_back(noisy_row("worse", {.shift_ln = 0.10}, draw));
  EXPECT_EQ(model::outcome_of(judge_pairs(rows, calibrated())), outcome::found);
  for (const std::size_t fresh : {5U, 0U}) {
    rows.back().confirm.resize(fresh);
    const auto report = judge_pairs(rows, calibrated());
    EXPECT_TRUE(report.is_complete) << report.incompleteness;
    EXPECT_TRUE(report.rows.back().is_left_unconfirmed) << fresh;
    EXPECT_EQ(model::outcome_of(report), outcome::undecided) << fresh;
    rows.push_back(noisy_row("found beside it", {.shift_ln = 0.10}, draw));
    EXPECT_EQ(model::outcome_of(judge_pairs(rows, calibrated())), outcome::found) << fresh;
    rows.pop_back();
  }
  rows.back() = noisy_row("better", {.shift_ln = -0.10}, draw);
  rows.back().confirm.clear();
  EXPECT_EQ(model::outcome_of(judge_pairs(rows, calibrated())), outcome::clean);
  rows.back() = noisy_row("moved code", {.shift_ln = 0.10}, draw);
  rows.back().is_moved_code = true;
  rows.back().confirm.clear();
  EXPECT_EQ(model::outcome_of(judge_pairs(rows, calibrated())), outcome::clean);
}

TEST(Decision, only_the_fresh_pairs_count) {
  noise draw(5);
  paired_row row = noisy_row("lucky screen", {.shift_ln = 0.0, .noise_ln = 0.004}, draw);
  row.screen = pairs_of(std::vector<double>(12, 0.5));
  const auto report = judge_pairs({row}, calibrated());
  EXPECT_EQ(report.rows[0].state, row_state::unchanged);
  EXPECT_NEAR(*report.rows[0].change_ratio, 0.0, 0.005);
  EXPECT_EQ(report.rows[0].pairs, 32U);
}

TEST(Decision, screen_lets_through_one_direction_at_a_time) {
  null_cache nulls;
  paired_row row;
  row.screen = pairs_of(std::vector<double>(12, 0.1));
  EXPECT_TRUE(screened(row, calibrated(), nulls).is_worse_possible);
  EXPECT_FALSE(screened(row, calibrated(), nulls).is_better_possible);
  row.screen = pairs_of(std::vector<double>(12, -0.1));
  EXPECT_FALSE(screened(row, calibrated(), nulls).is_worse_possible);
  EXPECT_TRUE(screened(row, calibrated(), nulls).is_better_possible);
  row.screen = pairs_of(std::vector<double>(12, 0.01));
  EXPECT_FALSE(screened(row, calibrated(), nulls).passes());
}

// The least favourable truth that is still no regression: every row lies on the margin.
TEST(Decision, a_table_of_rows_on_the_margin_is_red_at_most_one_time_in_twenty) {
  int red = 0;
  constexpr int runs = 120;
  for (unsigned run = 0; run < runs; ++run) {
    noise draw(100 + run);
    const auto rows = table(10, {.shift_ln = std::log1p(0.02), .noise_ln = 0.05}, draw);
    const auto report = judge_pairs(rows, calibrated());
    red += model::count_of(report, row_state::regressed) > 0;
  }
  // 6 are expected at the level of 5 %; 15 would be seen once in 1000 times.
  EXPECT_LE(red, 14);
  EXPECT_GE(red, 1) << "a rule that never fires is no rule";
}

TEST(Decision, a_table_of_equal_builds_is_clean) {
  int clean = 0;
  for (unsigned run = 0; run < 30; ++run) {
    noise draw(700 + run);
    const auto report = judge_pairs(table(20, {.noise_ln = 0.10}, draw), calibrated());
    EXPECT_EQ(model::count_of(report, row_state::regressed), 0U);
    clean += model::outcome_of(report) == outcome::clean;
  }
  EXPECT_GE(clean, 25) << "the rest is contaminated: 5 % of runs by the level of the controls";
}

TEST(Decision, a_slow_row_is_found_among_a_hundred) {
  noise draw(9);
  auto rows = table(99, {.noise_ln = 0.03}, draw);
  rows.push_back(noisy_row("slow", {.shift_ln = std::log(1.1), .noise_ln = 0.03}, draw));
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_EQ(report.rows.back().state, row_state::regressed);
  EXPECT_EQ(model::count_of(report, row_state::regressed), 1U);
  EXPECT_EQ(model::outcome_of(report), outcome::found);
  EXPECT_LE(*report.rows.back().p_value, 0.05);
}

TEST(Decision, too_few_pairs_say_how_many_are_needed) {
  noise draw(10);
  const paired_row row =
      noisy_row("short", {.shift_ln = 1.0, .screen_pairs = 4, .confirm_pairs = 4}, draw);
  const auto report = judge_pairs({row}, calibrated());
  EXPECT_EQ(report.rows[0].state, row_state::inconclusive);
  EXPECT_THAT(report.rows[0].reason, HasSubstr("needs at least 6 pairs"));
  EXPECT_FALSE(report.rows[0].interval);
}

TEST(Control, that_moves_withdraws_every_finding) {
  noise draw(11);
  std::vector<paired_row> rows = table(5, {.shift_ln = 0.12}, draw);
  rows.push_back(noisy_row("kernel of the harness", {.shift_ln = 0.12}, draw));
  rows.back().is_control = true;
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_TRUE(report.is_contaminated);
  EXPECT_THAT(report.contamination, HasSubstr("has moved: kernel of the harness"));
  EXPECT_EQ(report.rows.size(), 5U) << "a control is no row of the input";
  EXPECT_EQ(model::count_of(report, row_state::regressed), 0U);
  EXPECT_THAT(report.rows[0].reason, HasSubstr("looked regressed"));
  EXPECT_EQ(model::outcome_of(report), outcome::undecided);
}

TEST(Control, that_stands_still_changes_nothing) {
  noise draw(12);
  std::vector<paired_row> rows = table(5, {.shift_ln = 0.12}, draw);
  rows.push_back(noisy_row("kernel of the harness", {}, draw));
  rows.back().is_control = true;
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_FALSE(report.is_contaminated) << report.contamination;
  EXPECT_EQ(model::count_of(report, row_state::regressed), 5U);
  EXPECT_EQ(report.controls.size(), 3U);
}

TEST(Control, row_of_the_same_machine_code_is_never_red) {
  noise draw(13);
  std::vector<paired_row> rows = table(3, {}, draw);
  rows.push_back(noisy_row("same code", {.shift_ln = 0.3}, draw));
  rows.back().is_same_code = true;
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_TRUE(report.is_contaminated);
  EXPECT_EQ(report.rows.size(), 4U);
  EXPECT_NE(report.rows[3].state, row_state::regressed);
  null_cache nulls;
  EXPECT_FALSE(screened(rows[3], calibrated(), nulls).passes()) << "it is no hypothesis";
}

// A relink is no change of what a program does, however far it moves a row.
TEST(Decision, row_of_moved_code_says_layout_and_is_never_red) {
  for (const double shift : {0.3, -0.3}) {
    noise draw(13);
    std::vector<paired_row> rows = table(3, {}, draw);
    rows.push_back(noisy_row("moved", {.shift_ln = shift}, draw));
    ASSERT_NE(judge_pairs(rows, calibrated()).rows[3].state, row_state::inconclusive);
    for (paired_row& row : rows) row.is_moved_code = true;
    const auto report = judge_pairs(rows, calibrated());
    EXPECT_EQ(report.rows[3].state, row_state::inconclusive);
    EXPECT_THAT(report.rows[3].reason,
                HasSubstr(shift > 0 ? "layout: it looks worse" : "layout: it looks better"));
    EXPECT_TRUE(report.rows[3].is_confirmed);
    EXPECT_EQ(model::outcome_of(report), model::outcome::clean);
    EXPECT_EQ(model::outcome_of(report, true), model::outcome::undecided);
    EXPECT_EQ(report.rows[0].state, row_state::unchanged);
  }
}

TEST(Control, side_that_drifts_against_itself_contaminates) {
  noise draw(14);
  std::vector<paired_row> rows = table(8, {.shift_ln = 0.12}, draw);
  for (paired_row& row : rows)
    for (double& each : row.contrasts.base) each += 0.2;
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_TRUE(report.is_contaminated);
  EXPECT_THAT(report.contamination, HasSubstr("base against itself"));
}

// Two pairs can say nothing at 5 %, however far they lie.
TEST(Controls, of_too_few_pairs_are_not_said_to_stand_still) {
  noise draw(5);
  paired_row control =
      noisy_row("kernel", {.shift_ln = 0.5, .screen_pairs = 2, .confirm_pairs = 0}, draw);
  control.is_control = true;
  paired_row failed = control;
  failed.name = "failed";
  failed.head_failure = "exit status 1";
  const auto report = judge_pairs({control, failed}, calibrated());
  ASSERT_EQ(report.controls.size(), 4U);
  EXPECT_FALSE(report.controls[0].has_moved);
  EXPECT_EQ(report.controls[0].unjudged, "2 pairs cannot tell; 6 could");
  EXPECT_EQ(report.controls[1].unjudged, "it failed: exit status 1");
  EXPECT_EQ(report.controls[2].unjudged, "1 pairs cannot tell; 6 could");
  EXPECT_THAT(report.blind_spots, testing::Contains(testing::HasSubstr("4 of 4 controls")));
}

// Those that cannot move at the level take nothing from it.
TEST(Controls, with_enough_pairs_are_judged_beside_many_with_too_few) {
  noise draw(5);
  std::vector<paired_row> rows;
  for (int i = 0; i < 50; ++i) {
    rows.push_back(noisy_row("few", {.screen_pairs = 2, .confirm_pairs = 0}, draw));
    rows.back().is_control = true;
  }
  rows.push_back(
      noisy_row("kernel", {.shift_ln = 0.5, .screen_pairs = 8, .confirm_pairs = 0}, draw));
  rows.back().is_control = true;
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_TRUE(report.controls[50].has_moved);
  EXPECT_TRUE(report.is_contaminated);
}

// A control whose truth is 0: at 5 % over kernel and both sides together, 10 of 200 runs.
TEST(Control, stands_still_in_all_but_one_run_of_twenty) {
  int contaminated = 0;
  for (unsigned run = 0; run < 200; ++run) {
    noise draw(3000 + run);
    paired_row control = noisy_row("kernel", {.noise_ln = 0.1, .confirm_pairs = 0}, draw);
    control.is_control = true;
    contaminated += judge_pairs({control}, calibrated()).is_contaminated;
  }
  EXPECT_LE(contaminated, 20);
}

TEST(Control, goes_into_the_confirmation_with_the_rows_that_passed) {
  noise draw(20);
  std::vector<paired_row> rows = table(2, {.noise_ln = 0.004}, draw);
  rows.push_back(noisy_row("kernel", {}, draw));
  rows.back().is_control = true;
  EXPECT_TRUE(rows_to_confirm(rows, calibrated()).empty()) << "nothing to confirm";
  rows[1].screen = pairs_of(std::vector<double>(12, 0.1));
  EXPECT_EQ(rows_to_confirm(rows, calibrated()), (std::vector<std::size_t>{1, 2}));
}

TEST(Exact, counts_have_no_tolerance) {
  paired_row row;
  row.is_exact = true;
  row.better = model::direction::lower_is_better;
  row.screen = {{1e15, 1e15}, {1e15, 1e15}};
  EXPECT_EQ(state_of(row, calibrated()), row_state::unchanged);
  row.screen = {{1e15, 1e15 + 1}, {1e15, 1e15 + 1}};
  EXPECT_EQ(state_of(row, calibrated()), row_state::regressed);
  row.screen = {{1e15, 1e15 - 1}};
  EXPECT_EQ(state_of(row, calibrated()), row_state::improved);
  row.better = model::direction::unknown;
  EXPECT_EQ(state_of(row, calibrated()), row_state::regressed) << "any difference is one";
  row.screen = {{0, 1}};
  EXPECT_EQ(state_of(row, calibrated()), row_state::regressed);
  row.screen = {{7, 7}, {7, 8}};
  EXPECT_EQ(state_of(row, calibrated()), row_state::not_comparable)
      << "head does not repeat itself";
}

TEST(Exact, finding_survives_a_contaminated_run) {
  noise draw(15);
  paired_row control = noisy_row("kernel", {.shift_ln = 0.2}, draw);
  control.is_control = true;
  paired_row exact;
  exact.is_exact = true;
  exact.screen = {{100, 101}};
  const auto report = judge_pairs({control, exact}, calibrated());
  EXPECT_TRUE(report.is_contaminated);
  EXPECT_EQ(report.rows[0].state, row_state::regressed);
  EXPECT_EQ(model::outcome_of(report), outcome::found);
}

TEST(Decision, rows_without_two_numbers_have_their_own_states) {
  noise draw(16);
  auto rows = table(5, {.noise_ln = 0.004}, draw);
  rows[0].head_failure = "exit status 3";
  rows[1].is_in_base = false;
  rows[2].is_in_head = false;
  rows[3].incomparable = "ns against bytes";
  for (std::size_t i : {0U, 1U, 2U}) rows[i].screen.clear(), rows[i].confirm.clear();
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_EQ(report.rows[0].state, row_state::errored);
  EXPECT_EQ(report.rows[0].reason, "head: exit status 3");
  EXPECT_EQ(report.rows[1].state, row_state::added);
  EXPECT_EQ(report.rows[2].state, row_state::removed);
  EXPECT_EQ(report.rows[3].state, row_state::not_comparable);
  EXPECT_EQ(report.rows[4].state, row_state::unchanged);
  EXPECT_EQ(report.rows[0].head.absence, "exit status 3");
  EXPECT_EQ(report.rows[1].base.absence, "not in this side");
  EXPECT_EQ(model::outcome_of(report), outcome::could_not_measure);
}

TEST(Outcome, nothing_compared_is_not_clean) {
  EXPECT_EQ(model::outcome_of(model::comparison_report{}), outcome::could_not_measure);
  model::comparison_report removed_only;
  removed_only.rows.push_back({.name = "gone", .state = row_state::removed});
  EXPECT_EQ(model::outcome_of(removed_only), outcome::could_not_measure);
  model::comparison_report other_things;
  other_things.rows.push_back({.name = "x", .state = row_state::not_comparable});
  EXPECT_EQ(model::outcome_of(other_things), outcome::not_comparable);
}

TEST(Outcome, strict_wants_every_row_decided) {
  model::comparison_report report;
  report.rows.push_back({.name = "a", .state = row_state::unchanged});
  EXPECT_EQ(model::outcome_of(report, true), outcome::clean);
  for (const row_state open :
       {row_state::inconclusive, row_state::added, row_state::removed, row_state::not_comparable}) {
    report.rows.resize(1);
    report.rows.push_back({.name = "b", .state = open});
    EXPECT_EQ(model::outcome_of(report), outcome::clean) << to_string(open);
    EXPECT_EQ(model::outcome_of(report, true), outcome::undecided) << to_string(open);
  }
}

TEST(Suspicion, everything_five_times_faster_measured_nothing) {
  noise draw(17);
  const auto report = judge_pairs(table(10, {.shift_ln = std::log(0.03)}, draw), calibrated());
  EXPECT_TRUE(report.is_contaminated);
  EXPECT_THAT(report.contamination, HasSubstr("measured nothing"));
  EXPECT_EQ(model::outcome_of(report), outcome::undecided);
  EXPECT_EQ(model::count_of(report, row_state::improved), 0U);
}

TEST(Suspicion, one_row_that_is_not_so_much_faster_shows_that_work_was_done) {
  noise draw(21);
  auto rows = table(9, {.shift_ln = std::log(0.03)}, draw);
  rows.push_back(noisy_row("as before", {.noise_ln = 0.004}, draw));
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_FALSE(report.is_contaminated);
  EXPECT_EQ(model::count_of(report, row_state::improved), 9U);
}

TEST(Suspicion, some_removed_rows_are_no_loss) {
  noise draw(22);
  auto rows = table(10, {.noise_ln = 0.004}, draw);
  for (std::size_t i = 0; i < 5; ++i) rows[i].is_in_head = false;
  EXPECT_TRUE(judge_pairs(rows, calibrated()).is_complete) << "half is not most";
}

// Whatever is known of the others: of these nothing is.
TEST(Suspicion, rows_with_too_few_pairs_are_no_clean_comparison) {
  noise draw(23);
  const row_truth few{.noise_ln = 0.004, .screen_pairs = 2, .confirm_pairs = 0};
  auto rows = table(3, few, draw);
  EXPECT_THAT(judge_pairs(rows, calibrated()).incompleteness, HasSubstr("3 of 3 rows"));
  EXPECT_EQ(model::outcome_of(judge_pairs(rows, calibrated())), outcome::could_not_measure);
  rows.push_back(noisy_row("judged", {.noise_ln = 0.004}, draw));
  rows[1].screen.clear();  // its turn never came
  paired_row count;
  count.name = "a count that is equal";
  count.is_exact = true;
  count.screen = {{8, 8}, {8, 8}};
  rows.push_back(count);
  paired_row added;
  added.is_in_base = false;
  rows.push_back(added);
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_THAT(report.incompleteness, HasSubstr("3 of 5 rows have too few pairs"));
  EXPECT_EQ(model::outcome_of(report), outcome::could_not_measure);
  rows.erase(rows.begin(), rows.begin() + 3);
  EXPECT_EQ(model::outcome_of(judge_pairs(rows, calibrated())), outcome::clean);
}

TEST(Suspicion, a_head_that_lost_most_rows_is_no_whole_measurement) {
  noise draw(18);
  auto rows = table(10, {.noise_ln = 0.004}, draw);
  for (std::size_t i = 1; i < 10; ++i) {
    rows[i].is_in_head = false;
    rows[i].screen.clear();
    rows[i].confirm.clear();
  }
  const auto report = judge_pairs(rows, calibrated());
  EXPECT_FALSE(report.is_complete);
  EXPECT_THAT(report.incompleteness, HasSubstr("9 of base's 10 rows"));
  EXPECT_EQ(model::outcome_of(report), outcome::could_not_measure);
}

TEST(Decision, same_pairs_and_rules_give_the_same_report) {
  noise draw(19);
  const auto rows = table(10, {.shift_ln = 0.03}, draw);
  const auto one = judge_pairs(rows, calibrated());
  const auto two = judge_pairs(rows, calibrated());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].state, two.rows[i].state);
    EXPECT_EQ(one.rows[i].visible_ratio, two.rows[i].visible_ratio);
    EXPECT_EQ(one.rows[i].p_value, two.rows[i].p_value);
  }
}

}  // namespace
}  // namespace assay::compare
