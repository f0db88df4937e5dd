// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these, amounts that nobody measured would be told as amounts that differ.
#include <string>

#include <gtest/gtest.h>

#include "harness/attribution/exact_difference.h"

namespace assay::attribution_test {
namespace {

using model::difference_verdict;

model::quantity absent_amount(const char* why) {
  return {false, false, 0, 0.0, why};
}

model::investigation run_that_claims(const char* counter, const model::quantity& claimed) {
  model::investigation run;
  model::counter_line& line = run.audit.counters.emplace_back();
  line.name = counter;
  line.kind = "count";
  line.unit = "count";
  line.claimed = claimed;
  return run;
}

difference_verdict verdict_on(const model::quantity& first, const model::quantity& second) {
  const auto rows = attribution::exact_differences(run_that_claims("runtime.x", first),
                                                   run_that_claims("runtime.x", second));
  return rows.back().verdict;
}

TEST(ExactDifference, of_an_amount_that_neither_run_has_there_is_none) {
  const model::quantity none_needed = absent_amount("without a limit every weight is resident");
  EXPECT_EQ(verdict_on(none_needed, absent_amount("never written")),
            difference_verdict::cannot_tell);
  EXPECT_EQ(verdict_on(none_needed, none_needed), difference_verdict::same);
}

TEST(ExactDifference, that_one_run_alone_has_an_amount_is_one) {
  const model::quantity zero{true, false, 0, 0.0, {}};
  EXPECT_EQ(verdict_on(zero, absent_amount("never written")), difference_verdict::differs);
  EXPECT_EQ(verdict_on(absent_amount("never written"), zero), difference_verdict::differs);
  EXPECT_EQ(verdict_on(zero, zero), difference_verdict::same);
}

}  // namespace
}  // namespace assay::attribution_test
