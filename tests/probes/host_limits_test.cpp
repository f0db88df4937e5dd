// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a container with half a core would be taken for the machine that it runs on.
#include "probes/process/host_limits.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/probes/fake_proc.h"

namespace assay::probes {
namespace {

using test::fake_proc;

TEST(HostLimits, the_tightest_group_bounds_the_process) {
  const fake_proc fake;
  fake.write("self/cgroup", "0::/outer/inner\n");
  fake.write("fs/cgroup/outer/cpu.max", "50000 100000\n");
  fake.write("fs/cgroup/outer/inner/cpu.max", "150000 100000\n");
  EXPECT_EQ(read_core_limits(fake.root(), fake.root()).value().quota_cores, 0.5);
  fake.write("fs/cgroup/outer/inner/cpu.max", "25000 100000\n");
  EXPECT_EQ(read_core_limits(fake.root(), fake.root()).value().quota_cores, 0.25);
}

TEST(HostLimits, a_group_of_its_own_root_is_looked_at) {
  const fake_proc fake;
  fake.write("self/cgroup", "0::/\n");
  fake.write("fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(read_core_limits(fake.root(), fake.root()).value().quota_cores, 3.0);
}

TEST(HostLimits, no_quota_is_none_and_not_zero_cores) {
  const fake_proc fake;
  EXPECT_EQ(read_core_limits(fake.root(), fake.root()).value().quota_cores, 0.0);
  fake.write("self/cgroup", "0::/a\n");
  for (const char* text : {"max 100000\n", "", "100000\n", "100000 0\n", "x y\n"}) {
    fake.write("fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(read_core_limits(fake.root(), fake.root()).value().quota_cores, 0.0) << text;
  }
}

TEST(HostLimits, memory_is_what_can_be_had_and_not_what_is_free) {
  const fake_proc fake;
  fake.write("meminfo", "MemTotal: 9 kB\nMemFree: 1 kB\nMemAvailable:     2048 kB\n");
  EXPECT_EQ(available_memory_bytes(fake.root(), fake.root()).value(), 2048 * 1024);
  fake.write("meminfo", "MemTotal: 9 kB\n");
  EXPECT_FALSE(available_memory_bytes(fake.root())) << "before Linux 3.14";
}

// A container of 64 MiB that is told of the machine's 24 GB plans with them, and is killed.
TEST(HostLimits, memory_is_what_the_tightest_group_has_left) {
  const fake_proc fake;
  const auto available = [&] { return available_memory_bytes(fake.root(), fake.root()).value(); };
  fake.write("meminfo", "MemAvailable:     2048 kB\n");
  fake.write("self/cgroup", "4:memory:/a/b\n0::/outer/inner\n");
  fake.write("fs/cgroup/outer/inner/memory.max", "max\n");
  fake.write("fs/cgroup/outer/inner/memory.current", "1000\n");
  EXPECT_EQ(available(), 2048 * 1024);
  fake.write("fs/cgroup/outer/memory.max", "900000\n");
  fake.write("fs/cgroup/outer/memory.current", "500000\n");
  EXPECT_EQ(available(), 400'000);
  fake.write("fs/cgroup/outer/memory.stat", "active_file 50000\ninactive_file 150000\n");
  EXPECT_EQ(available(), 600'000) << "caches that can be dropped";
  fake.write("fs/cgroup/memory/a/memory.limit_in_bytes", "300000\n");
  fake.write("fs/cgroup/memory/a/memory.usage_in_bytes", "400000\n");
  EXPECT_EQ(available(), 0) << "of the first version, and over its limit";
  fake.write("fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(available(), 600'000) << "no limit, as the first version writes it";
}

TEST(HostLimits, the_mode_in_brackets_is_in_force) {
  const fake_proc fake;
  fake.write("kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  EXPECT_EQ(huge_page_mode(fake.root()).value(), "madvise");
  fake.write("kernel/mm/transparent_hugepage/enabled", "always madvise never\n");
  EXPECT_FALSE(huge_page_mode(fake.root()));
}

TEST(HostLimits, a_hypervisor_is_a_flag_of_its_own) {
  const fake_proc fake;
  fake.write("cpuinfo", "processor: 0\nflags\t\t: fpu hypervisor avx\n");
  EXPECT_TRUE(is_virtual_machine(fake.root()).value());
  fake.write("cpuinfo", "flags\t\t: fpu nohypervisor avx\n");
  EXPECT_FALSE(is_virtual_machine(fake.root()).value());
  fake.write("cpuinfo", "Features: asimd\n");
  EXPECT_FALSE(is_virtual_machine(fake.root()).has_value()) << "not known is not no";
}

TEST(HostLimits, sees_this_machine) {
  const core_limits limits = read_core_limits().value();
  EXPECT_GE(limits.online_count, limits.allowed_count);
  EXPECT_GE(limits.allowed_count, 1);
  EXPECT_GT(available_memory_bytes().value(), 0);
}

}  // namespace
}  // namespace assay::probes
