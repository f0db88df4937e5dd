// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a clock that was set mid-run would bend every record between two samples, and the
// spans would still look like spans.
#include "probes/cupti/clock_fit.h"

#include <gtest/gtest.h>

namespace assay::test {
namespace {

using probes::clock_bracket;
using probes::clock_fit;

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t epoch_ns = 1'790'000'000 * second_ns;  // a date, as CLOCK_REALTIME has it

clock_bracket at(std::int64_t host_ns, std::int64_t device_ns, std::int64_t width_ns) {
  return {host_ns - width_ns / 2, device_ns, host_ns + width_ns / 2};
}

TEST(ClockFit, keeps_single_nanoseconds_of_a_time_since_1970) {
  const clock_fit fit(at(100, epoch_ns, 200), at(100 + second_ns, epoch_ns + second_ns, 200));
  EXPECT_EQ(fit.to_host_ns(epoch_ns), 100);
  EXPECT_EQ(fit.to_host_ns(epoch_ns + 123'456'789), 100 + 123'456'789);
  EXPECT_EQ(fit.to_host_ns(epoch_ns - 7), 93);
  EXPECT_EQ(fit.error_ns(), 100);
  EXPECT_TRUE(fit.is_plausible());
}

TEST(ClockFit, follows_a_drift) {
  const std::int64_t slow_ns = second_ns + 20'000;  // 20 ppm
  const clock_fit fit(at(0, epoch_ns, 100), at(slow_ns, epoch_ns + second_ns, 300));
  EXPECT_EQ(fit.to_host_ns(epoch_ns + second_ns / 2), slow_ns / 2);
  EXPECT_NEAR(fit.drift_ppm(), 20.0, 1e-6);
  EXPECT_EQ(fit.error_ns(), 150);
  EXPECT_TRUE(fit.is_plausible());
}

TEST(ClockFit, sees_a_clock_that_was_set) {
  for (const std::int64_t step_ns : {std::int64_t{1'000'000}, std::int64_t{-1'000'000}}) {
    const clock_fit fit(at(0, epoch_ns, 200), at(second_ns, epoch_ns + second_ns + step_ns, 200));
    EXPECT_FALSE(fit.is_plausible()) << step_ns;
  }
}

TEST(ClockFit, does_not_take_a_bracket_for_a_drift) {
  // 100 µs apart, 300 ns off: 3,000 ppm, and nothing but the width of the samples.
  EXPECT_TRUE(clock_fit(at(0, epoch_ns, 400), at(100'300, epoch_ns + 100'000, 400)).is_plausible());
  EXPECT_TRUE(clock_fit(at(0, epoch_ns, 400), at(100, epoch_ns, 400)).is_plausible());
}

}  // namespace
}  // namespace assay::test
