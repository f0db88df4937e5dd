// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a tolerance that is wider than it says, or a witness that excuses too much, would go
// unnoticed.
#include "harness/audit/time_comparison.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "harness/audit/comparison.h"

namespace assay::audit {
namespace {

constexpr int step = ASSAY_WINDOW_DECODE_STEP;

time_sample sample(double claimed, double observed, double host_ns = 1e6) {
  time_sample made;
  made.claimed = claimed;
  made.low = made.high = observed;
  made.host_span_ns = host_ns;
  return made;
}

time_comparison run(int windows, const time_sample& each, int kind = step) {
  time_comparison made;
  for (int i = 0; i < windows; ++i) made.compare({kind, static_cast<std::uint64_t>(i)}, each);
  made.finish();
  return made;
}

TEST(TimeTolerance, is_two_percent_where_windows_are_long) {
  EXPECT_EQ(run(50, sample(1'020'000, 1'000'000)).outcome(), time_outcome::holds);
  EXPECT_EQ(run(50, sample(1'020'001, 1'000'000)).outcome(), time_outcome::broken);
  EXPECT_EQ(run(50, sample(980'000, 1'000'000)).outcome(), time_outcome::holds);
  EXPECT_EQ(run(50, sample(979'999, 1'000'000)).outcome(), time_outcome::broken);
}

TEST(TimeTolerance, is_two_us_a_window_where_they_are_short) {
  EXPECT_EQ(run(50, sample(12'000, 10'000)).outcome(), time_outcome::holds);
  EXPECT_EQ(run(50, sample(12'001, 10'000)).outcome(), time_outcome::broken);
  EXPECT_EQ(run(1, sample(8'000, 10'000)).outcome(), time_outcome::holds);
  EXPECT_EQ(run(1, sample(7'999, 10'000)).outcome(), time_outcome::broken);
}

TEST(TimeTolerance, covers_an_interval_from_its_two_ends) {
  time_sample between = sample(150'000, 0);
  between.low = 100'000;
  between.high = 200'000;
  EXPECT_EQ(run(50, between).outcome(), time_outcome::holds);
  between.claimed = 204'001;
  EXPECT_EQ(run(50, between).outcome(), time_outcome::broken);
  between.claimed = 97'999;
  EXPECT_EQ(run(50, between).outcome(), time_outcome::broken);
}

TEST(TimeTolerance, is_judged_for_each_kind_of_window) {
  time_comparison made;
  for (int i = 0; i < 1000; ++i) made.compare({step, 0}, sample(1e6, 1e6));
  made.compare({ASSAY_WINDOW_PREFILL, 0}, sample(2e6, 1e6));
  made.finish();
  EXPECT_EQ(made.outcome(), time_outcome::broken);
  EXPECT_EQ(made.deciding_kind(), ASSAY_WINDOW_PREFILL);
}

TEST(TimeTolerance, holds_nothing_that_is_no_number) {
  EXPECT_EQ(run(3, sample(std::nan(""), 1e6)).outcome(), time_outcome::broken);
  EXPECT_EQ(run(3, sample(1e6, std::nan(""))).outcome(), time_outcome::broken);
  EXPECT_EQ(run(3, sample(INFINITY, 1e6)).outcome(), time_outcome::broken);
  EXPECT_EQ(time_comparison().outcome(), time_outcome::empty);
}

TEST(Bound, of_a_time_is_widened_by_the_slack_of_a_bracket) {
  counter_spec time;
  time.unit = unit::ns;
  time.kind = telemetry::counter_kind::duration;
  EXPECT_EQ(widened_bound(number::of(10'000), time, true).integer, 12'000);
  EXPECT_EQ(widened_bound(number::of(10'000), time, false).integer, 8'000);
  EXPECT_EQ(widened_bound(number::of(1'000'000), time, true).integer, 1'020'000);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(widened_bound(number::of(huge), time, true).integer, 9'000'000'000'000'000'000);
  counter_spec rate = time;
  rate.unit = unit::tokens_per_s;
  rate.kind = telemetry::counter_kind::rate;
  EXPECT_DOUBLE_EQ(widened_bound(number::of_real(100), rate, false).real, 98);
}

TEST(Bound, of_an_amount_is_exact) {
  counter_spec bytes;
  bytes.unit = unit::bytes;
  EXPECT_EQ(widened_bound(number::of(10'000), bytes, true).integer, 10'000);
}

TEST(Disturbance, a_step_stretched_against_its_neighbours_is_left_out) {
  time_comparison made;
  for (int i = 0; i < 100; ++i)
    made.compare({step, 0}, i % 10 == 0 ? sample(9e6, 1e6, 9e6) : sample(1e6, 1e6));
  made.finish();
  EXPECT_EQ(made.excluded(), 10u);
  EXPECT_EQ(made.outcome(), time_outcome::holds);
}

TEST(Disturbance, a_step_that_is_not_stretched_is_kept_whatever_the_counter_says) {
  time_comparison made;
  for (int i = 0; i < 100; ++i)
    made.compare({step, 0}, i % 10 == 0 ? sample(9e6, 1e6) : sample(1e6, 1e6));
  made.finish();
  EXPECT_EQ(made.excluded(), 0u);
  EXPECT_EQ(made.outcome(), time_outcome::broken);
}

TEST(Disturbance, steps_that_grow_with_their_context_are_not_disturbed) {
  time_comparison made;
  for (int i = 0; i < 5000; ++i) made.compare({step, 0}, sample(1e6, 1e6, 1e6 + 400.0 * i));
  made.finish();
  EXPECT_EQ(made.excluded(), 0u);
}

TEST(Disturbance, no_median_is_taken_of_a_few_windows_or_of_prefills) {
  time_comparison few;
  for (int i = 0; i < 15; ++i) few.compare({step, 0}, sample(1e6, 1e6, i == 7 ? 9e6 : 1e6));
  few.finish();
  EXPECT_EQ(few.excluded(), 0u);
  time_comparison prefills;
  for (int i = 0; i < 64; ++i)
    prefills.compare({ASSAY_WINDOW_PREFILL, 0}, sample(1e6, 1e6, 1e6 * (1 + i)));
  prefills.finish();
  EXPECT_EQ(prefills.excluded(), 0u);
}

TEST(Disturbance, more_than_a_quarter_left_out_settles_nothing_against_the_counter) {
  const auto with = [](int disturbed, double claimed) {
    time_comparison made;
    for (int i = 0; i < 100; ++i) {
      made.compare({step, 0}, sample(claimed, 1e6, i < disturbed ? 9e6 : 1e6));
    }
    made.finish();
    return made.outcome();
  };
  EXPECT_EQ(with(25, 1.03e6), time_outcome::broken);
  EXPECT_EQ(with(26, 1.03e6), time_outcome::unclear);
  EXPECT_EQ(with(26, 1.01e6), time_outcome::holds);
}

TEST(Disturbance, the_calmest_three_quarters_confirm_where_more_were_disturbed) {
  // 40 of 100 are stretched; in the 10 worst of them a clock read was late by 5 ms.
  const auto with = [](double claimed) {
    time_comparison made;
    for (int i = 0; i < 100; ++i)
      made.compare({step, 0}, sample(claimed, i < 10 ? 6e6 : 1e6,
                                     i < 10   ? 9e6
                                     : i < 40 ? 2e6
                                              : 1e6));
    made.finish();
    return made;
  };
  EXPECT_EQ(with(1e6).outcome(), time_outcome::holds);
  EXPECT_EQ(with(1e6).excluded(), 25u);
  EXPECT_EQ(with(1e6).stretched(), 40u);
  EXPECT_EQ(with(1.03e6).outcome(), time_outcome::unclear);
}

// Eight windows of which some differ by `apart_ns`.
time_outcome with_apart(int apart_windows, double apart_ns, double host_ns = 1e9) {
  time_comparison made;
  for (int i = 0; i < 8; ++i)
    made.compare({ASSAY_WINDOW_PREFILL, static_cast<std::uint64_t>(i)},
                 sample(10'000 + (i < apart_windows ? apart_ns : 0.0), 10'000, host_ns));
  made.finish();
  return made.outcome();
}

TEST(Interruption, of_one_window_in_eight_convicts_nobody) {
  EXPECT_EQ(with_apart(1, 5e6), time_outcome::holds);
  EXPECT_EQ(with_apart(2, 5e6), time_outcome::broken);
}

TEST(Interruption, is_a_slice_and_not_more) {
  EXPECT_EQ(with_apart(1, 19.9e6), time_outcome::holds);
  EXPECT_EQ(with_apart(1, 20.1e6), time_outcome::broken);
}

TEST(Interruption, cannot_put_more_into_a_window_than_the_window_is_long) {
  EXPECT_EQ(with_apart(1, 5e6, 6e6), time_outcome::holds);
  EXPECT_EQ(with_apart(1, 5e6, 4e6), time_outcome::broken);
}

TEST(Interruption, is_not_told_in_few_windows) {
  time_comparison made;
  for (int i = 0; i < 3; ++i)
    made.compare({ASSAY_WINDOW_PREFILL, static_cast<std::uint64_t>(i)},
                 sample(i == 0 ? 5e6 : 10'000, 10'000, 1e9));
  made.finish();
  EXPECT_EQ(made.outcome(), time_outcome::broken);
}

TEST(Interruption, explains_two_percent_of_many_windows) {
  const auto with = [](int apart_windows) {
    time_comparison made;
    for (int i = 0; i < 100; ++i)
      made.compare({ASSAY_WINDOW_PREFILL, static_cast<std::uint64_t>(i)},
                   sample(i < apart_windows ? 5e6 : 10'000, 10'000, 1e9));
    made.finish();
    return made.outcome();
  };
  EXPECT_EQ(with(2), time_outcome::holds);
  EXPECT_EQ(with(3), time_outcome::broken);
}

bound_tally at_least(bound_leniency leniency, int windows, int broken, std::int64_t claimed) {
  bound_tally made;
  made.leniency = leniency;
  for (int i = 0; i < windows; ++i)
    made.compare({ASSAY_WINDOW_REQUEST, static_cast<std::uint64_t>(i)},
                 number::of(i < broken ? claimed : 200'000'000), number::of(100'000'000), false);
  return made;
}

TEST(Interruption, breaks_a_quarter_of_the_bounds_on_times) {
  EXPECT_FALSE(at_least(bound_leniency::time, 8, 2, 90'000'000).is_broken());
  EXPECT_TRUE(at_least(bound_leniency::time, 8, 3, 90'000'000).is_broken());
  EXPECT_TRUE(at_least(bound_leniency::time, 3, 1, 90'000'000).is_broken());
}

TEST(Interruption, of_a_bound_is_a_slice_or_a_factor_of_two) {
  EXPECT_FALSE(at_least(bound_leniency::time, 8, 1, 80'000'000).is_broken());
  EXPECT_TRUE(at_least(bound_leniency::time, 8, 1, 79'999'999).is_broken());
  EXPECT_FALSE(at_least(bound_leniency::rate, 8, 1, 50'000'000).is_broken());
  EXPECT_TRUE(at_least(bound_leniency::rate, 8, 1, 49'999'999).is_broken());
}

TEST(Interruption, explains_no_silence_and_no_amount) {
  EXPECT_TRUE(at_least(bound_leniency::rate, 8, 1, 0).is_broken());
  EXPECT_TRUE(at_least(bound_leniency::none, 8, 1, 99'999'999).is_broken());
}

TEST(Silence, is_the_longest_run_of_windows_with_work_and_no_time) {
  time_comparison made;
  for (int i = 0; i < 10; ++i)
    made.compare({step, static_cast<std::uint64_t>(i)}, sample(i < 4 ? 5'000 : 0, 5'000));
  made.compare({step, 10}, sample(0, 0));
  made.finish();
  EXPECT_EQ(made.active_windows(), 10u);
  EXPECT_EQ(made.zero_run_windows(), 6u);
  EXPECT_EQ(made.zero_run_observed(), 30'000);
  EXPECT_EQ(made.first_zero().index, 4u);
}

}  // namespace
}  // namespace assay::audit
