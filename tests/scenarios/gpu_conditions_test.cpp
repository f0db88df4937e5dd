// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a GPU that nobody could ask would read as one whose clocks were 0, or a link that
// was looked at while it idled as a slow one.
#include "harness/cli/gpu_conditions.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/probes/recorded_trace.h"

namespace assay::cli {
namespace {

TEST(GpuConditions, without_nvml_are_absent_and_the_link_is_what_was_seen_under_load) {
  const result<std::unique_ptr<probes::nvml_probe>> nobody =
      ASSAY_FAIL(unavailable, "NVML: not found");
  probes::condition_probe probe;
  watch_gpu(probe, nobody, [] { return result<probes::nvml_link>(probes::nvml_link{5, 16}); });
  test::recorded_trace trace;
  ASSERT_TRUE(probe.sample(trace));
  std::map<int, std::int64_t> seen;
  for (const assay_record& each : trace.all) seen[each.op] = each.amount;
  EXPECT_EQ(seen,
            (std::map<int, std::int64_t>{{ASSAY_LINK_GENERATION, 5}, {ASSAY_LINK_WIDTH, 16}}));
  ASSERT_EQ(probe.absent().size(), 6u);
  for (const trace::absent_condition& each : probe.absent())
    EXPECT_EQ(each.reason, "NVML: not found") << each.name;
}

TEST(GpuConditions, a_link_that_idled_is_absent_with_the_reason) {
  const result<std::unique_ptr<probes::nvml_probe>> nobody = ASSAY_FAIL(unavailable, "none");
  probes::condition_probe probe;
  watch_gpu(probe, nobody, []() -> result<probes::nvml_link> {
    return ASSAY_FAIL(unavailable, "the copies had ended");
  });
  test::recorded_trace trace;
  ASSERT_TRUE(probe.sample(trace));
  EXPECT_TRUE(trace.all.empty());
  EXPECT_THAT(probe.absent(), testing::Contains(trace::absent_condition{"PCIe lanes under load",
                                                                        "the copies had ended"}));
}

}  // namespace
}  // namespace assay::cli
