// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these a report could state what observing costs by an arm that observes nothing, or that
// has no arm beside it.
#include "harness/cli/observer_cost.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/telemetry/clock.h"

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::int32_t> some_prompt{40, 71, 105, 302, 12, 7, 9, 11};

std::int64_t median_of_ppm(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

TEST(ObserverCost, the_interval_is_that_of_the_ranks_around_the_median) {
  EXPECT_EQ(ratio_words({1'030'000, 1'000'000, 1'010'000, 1'020'000, 1'040'000, 990'000, 980'000,
                         1'050'000, 1'060'000}),
            "median ratio 1.0200 (95 % interval 0.9900 to 1.0500)");
  EXPECT_THAT(ratio_words({3, 1, 2, 4, 5, 6, 7, 1'000'000}), HasSubstr("median ratio 0.0000"));
}

TEST(ObserverCost, an_arm_that_is_given_more_to_do_costs_as_much_more) {
  const run_options options = default_run_options().value();
  constexpr std::int64_t budget_ns = 60'000'000;
  const auto plain = measure_observer(options, some_prompt, budget_ns);
  ASSERT_TRUE(plain) << plain.error().message;
  ASSERT_FALSE(plain->passes_ppm.empty());
  EXPECT_EQ(plain->passes_ppm.size(), plain->steps_ppm.size());
  const double records_a_step =
      static_cast<double>(plain->records) / static_cast<double>(plain->observed_steps);
  EXPECT_GT(records_a_step, 80.0) << "every operator's call and work";
  // As long again as a pass.
  const std::int64_t pass_ns =
      plain->pass_ns / static_cast<std::int64_t>(2 * plain->passes_ppm.size());
  const auto slow = measure_observer(options, some_prompt, 2 * budget_ns, [&] {
    const std::int64_t until_ns = host_now().ns + pass_ns;
    while (host_now().ns < until_ns) {
    }
  });
  ASSERT_TRUE(slow) << slow.error().message;
  EXPECT_GT(median_of_ppm(slow->passes_ppm), median_of_ppm(plain->passes_ppm) + 300'000);
  EXPECT_GT(median_of_ppm(slow->steps_ppm), median_of_ppm(plain->steps_ppm) + 300'000);
}

TEST(ObserverCost, a_record_costs_something_on_both_ways) {
  const auto cost = measure_record();
  ASSERT_TRUE(cost) << cost.error().message;
  EXPECT_GT(cost->told_ns, 0.1);
  EXPECT_GT(cost->written_ns, 0.1);
  EXPECT_LT(cost->told_ns + cost->written_ns, 100'000.0);
}

TEST(ObserverCost, what_is_not_measured_says_why_and_by_which_flag_it_would_be) {
  run_options options = default_run_options().value();
  EXPECT_THAT(observer_facts(options, some_prompt, 80.0),
              AllOf(HasSubstr("not measured"), HasSubstr("--observer-cost"),
                    HasSubstr("ns of a step within its pass, ")));
  options.observer_cost = observer_arm::always;
  options.vram_limit = memory::vram_limit{};
  EXPECT_THAT(observer_facts(options, some_prompt, 0.0),
              AllOf(HasSubstr("not measured: the arm"), HasSubstr("no estimate")));
  options.device = telemetry::device_class::cuda;
  EXPECT_THAT(observer_facts(options, some_prompt, 80.0), HasSubstr("not measured: CUPTI"));
  options = default_run_options().value();
  options.observer_cost = observer_arm::where_cheap;
  options.checkpoint = "/nowhere";
  EXPECT_THAT(observer_facts(options, some_prompt, 80.0),
              AllOf(HasSubstr("not measured"), Not(HasSubstr("median"))));
}

}  // namespace
}  // namespace assay::cli
