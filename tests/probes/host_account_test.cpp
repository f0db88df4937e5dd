// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a field that the kernel does not write would read as a machine at rest.
#include "probes/process/host_account.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/probes/fake_proc.h"

namespace assay::probes {
namespace {

using test::fake_proc;

TEST(HostAccount, reads_the_files_of_proc) {
  const fake_proc proc;
  proc.write("stat", "cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 0 0 0 0 0 0 0 11 0 0\nintr 1\n");
  proc.write("loadavg", "2.75 0.28 0.11 3/110 10171\n");
  proc.write("self/status", "Name:\ta VmHWM: b\nVmPeak:\t  9 kB\nVmHWM:\t    2144 kB\n");
  EXPECT_EQ(steal_ticks(proc.root()).value(), 88);
  EXPECT_EQ(load_average_1min(proc.root()).value(), 2.75);
  EXPECT_EQ(peak_resident_bytes(proc.root()).value(), 2144u * 1024u);
}

TEST(HostAccount, keeps_a_true_zero) {
  const fake_proc proc;
  proc.write("stat", "cpu  1 2 3 4 5 6 7 0 0 0\n");
  EXPECT_EQ(steal_ticks(proc.root()).value(), 0);
}

TEST(HostAccount, says_what_is_missing) {
  const fake_proc proc;
  proc.write("stat", "cpu  1 2 3 4 5\n");  // before Linux 2.6.11
  proc.write("loadavg", "\n");
  proc.write("self/status", "VmPeak:\t 9 kB\n");
  const auto steal = steal_ticks(proc.root());
  ASSERT_FALSE(steal);
  EXPECT_EQ(steal.error().kind, error_kind::unavailable);
  EXPECT_THAT(steal.error().message, testing::HasSubstr("field 8"));
  EXPECT_FALSE(load_average_1min(proc.root()));
  EXPECT_FALSE(peak_resident_bytes(proc.root()));
  const auto nowhere = steal_ticks(proc.root() + "/nowhere");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, error_kind::unavailable);
}

TEST(HostAccount, sees_this_machine) {
  EXPECT_GE(steal_ticks().value(), 0);
  EXPECT_GE(load_average_1min().value(), 0.0);
  EXPECT_GT(peak_resident_bytes().value(), 0u);
}

TEST(HostAccount, counts_the_faults_of_this_thread) {
  const auto before = usage_of_this_thread();
  std::vector<char> fresh(std::size_t{64} << 20, 1);
  const auto after = usage_of_this_thread();
  ASSERT_TRUE(before && after);
  const thread_usage between = *after - *before;
  EXPECT_GT(between.minor_faults_count + between.major_faults_count, 0) << fresh[1];
}

}  // namespace
}  // namespace assay::probes
