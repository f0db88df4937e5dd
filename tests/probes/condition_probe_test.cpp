// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these a machine that was throttled, or that says nothing, would read as one at its ease:
// a file cut short as 0, a number too large as a small one, a quota of the group above as none.
#include "probes/process/condition_probe.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

#include "probes/process/kernel_text.h"
#include "tests/probes/fake_proc.h"
#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using test::fake_proc;
using test::recorded_trace;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::optional<std::int64_t> seen_of(const recorded_trace& trace, assay_condition which) {
  for (const assay_record& each : trace.of_kind(ASSAY_CONDITION))
    if (each.op == which) return each.amount;
  return std::nullopt;
}

std::string absence_of(const condition_probe& probe, std::string_view name) {
  for (const trace::absent_condition& each : probe.absent())
    if (each.name == name) return each.reason;
  return {};
}

TEST(KernelText, a_whole_number_is_all_of_the_text_and_fits) {
  EXPECT_EQ(parse_whole("3200000\n", "f", 1000).value(), 3'200'000'000);
  EXPECT_EQ(parse_whole("0\n", "f").value(), 0);
  for (const char* bad : {"", "\n", "<unknown>\n", "-1\n", "1 2\n", "12x\n", "0x10\n", "1.5\n",
                          "99999999999999999999\n", "9223372036854775807\n"})
    EXPECT_FALSE(parse_whole(bad, "f", 1000)) << bad;
}

TEST(KernelText, a_key_is_the_whole_word) {
  const char* text = "nr_throttled_x 9\nnr_throttled 7\nMemAvailable:   12 kB\n";
  EXPECT_EQ(parse_keyed(text, "nr_throttled", "f").value(), 7);
  EXPECT_EQ(parse_keyed(text, "MemAvailable", "f", 1024).value(), 12 * 1024);
  EXPECT_FALSE(parse_keyed(text, "nr", "f"));
  EXPECT_FALSE(parse_keyed("nr_throttled\n", "nr_throttled", "f"));
  EXPECT_FALSE(parse_keyed("nr_throttled x\n", "nr_throttled", "f"));
}

TEST(KernelText, cpu_stat_of_both_versions) {
  const auto second = parse_cpu_stat(
      "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec "
      "41\n",
      "f");
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->throttles_count, 3);
  EXPECT_EQ(second->throttled_ns, 41'000);
  const auto first = parse_cpu_stat("nr_periods 9\nnr_throttled 3\nthrottled_time 41\n", "f");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->throttled_ns, 41);
  for (const char* bad :
       {"", "usage_usec 5\n", "nr_throttled 3\n", "nr_throttled 3\nthrottled_usec -4\n",
        "nr_throttled 3\nthrottled_usec 9223372036854775807\n", "\xff\xfe\x00"})
    EXPECT_FALSE(parse_cpu_stat(bad, "f")) << bad;
}

TEST(KernelText, groups_are_looked_for_up_to_the_root_and_no_further) {
  const group_folders found =
      parse_cgroup("5:cpuset:/x\n2:cpu,cpuacct:/a/b\n1:cpuacct:/no\n0::/c/d\n");
  EXPECT_THAT(found.unified, ElementsAre("/c/d", "/c", ""));
  EXPECT_THAT(found.cpu, ElementsAre("/cpu/a/b", "/cpu/a", "/cpu"));
  EXPECT_THAT(parse_cgroup("0::/../../etc\n").unified, ElementsAre(""));
  EXPECT_THAT(parse_cgroup("0::/a:b\n").unified, ElementsAre("/a:b", ""));
  for (const char* bad : {"", "0\n", "::\n", "no colon", "7:x"}) {
    EXPECT_TRUE(parse_cgroup(bad).unified.empty()) << bad;
    EXPECT_TRUE(parse_cgroup(bad).cpu.empty()) << bad;
  }
}

TEST(KernelText, pressure_is_the_total_of_some) {
  EXPECT_EQ(parse_pressure_ns("some avg10=0.00 avg60=0.25 avg300=0.66 total=99\nfull avg10=0.00 "
                              "avg60=0 avg300=0 total=1\n",
                              "f")
                .value(),
            99'000);
  for (const char* bad :
       {"", "full avg10=0 avg60=0 avg300=0 total=1\n", "some avg10=0.00\n", "some total=\n",
        "some avg10=0 total=x\n", "some avg10=0 total=9223372036854775807\n"})
    EXPECT_FALSE(parse_pressure_ns(bad, "f")) << bad;
}

TEST(KernelText, a_load_average_has_runnable_threads_behind_it) {
  const auto load = parse_loadavg("0.87 0.76 1.16 3/96 17753\n", "f");
  ASSERT_TRUE(load) << load.error().message;
  EXPECT_EQ(load->average_milli, 870);
  EXPECT_EQ(load->runnable_count, 3);
  for (const char* bad : {"", "0.87", "nan 0 0 1/2 3", "-1 0 0 1/2 3", "1e300 0 0 1/2 3",
                          "0.1 0 0 /2 3", "0.1 0 0 x/2 3", "0.1/2"})
    EXPECT_FALSE(parse_loadavg(bad, "f")) << bad;
}

// A host as it may be, with the core that the test runs on.
class fake_host {
 public:
  fake_host() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  void write(const std::string& path, std::string_view text) const { files.write(path, text); }
  std::string core(int number) const { return "devices/system/cpu/cpu" + std::to_string(number); }
  condition_probe probe() const {
    return condition_probe::of_host(files.root() + "/proc", files.root());
  }

  fake_proc files;
  std::vector<int> cores;
};

TEST(ConditionProbe, reads_what_a_host_exposes) {
  const fake_host host;
  for (const int core : host.cores) {
    host.write(host.core(core) + "/cpufreq/scaling_cur_freq", "2400000\n");
    host.write(host.core(core) + "/thermal_throttle/core_throttle_count", "2\n");
    host.write(host.core(core) + "/thermal_throttle/package_throttle_count", "5\n");
    host.write(host.core(core) + "/topology/physical_package_id", "0\n");
  }
  host.write("proc/self/cgroup", "0::/a/b\n");
  host.write("fs/cgroup/a/b/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
  host.write("fs/cgroup/a/cpu.stat", "nr_throttled 4\nthrottled_usec 7\n");
  host.write("fs/cgroup/cpu.stat", "usage_usec 3\n");  // the root is held back by nobody
  host.write("proc/stat", "cpu  1 2 3 4 5 6 7 88 9 10\n");
  host.write("proc/loadavg", "2.75 0.28 0.11 3/110 10171\n");
  host.write("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    2144 kB\n");
  host.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=6\n");
  host.write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=8\n");
  condition_probe probe = host.probe();
  recorded_trace trace;
  ASSERT_TRUE(probe.sample(trace));
  EXPECT_EQ(seen_of(trace, ASSAY_CORE_CLOCK_CPUFREQ), 2'400'000'000);
  // Each core, and its package once.
  EXPECT_EQ(seen_of(trace, ASSAY_THERMAL_THROTTLES),
            2 * static_cast<std::int64_t>(host.cores.size()) + 5);
  EXPECT_EQ(seen_of(trace, ASSAY_GROUP_THROTTLES), 4) << "the quota of the group above";
  EXPECT_EQ(seen_of(trace, ASSAY_GROUP_THROTTLED), 7'000);
  EXPECT_EQ(seen_of(trace, ASSAY_STOLEN_TIME), 88 * (1'000'000'000 / sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(seen_of(trace, ASSAY_LOAD_AVERAGE), 2'750);
  EXPECT_EQ(seen_of(trace, ASSAY_RUNNABLE_THREADS), 3);
  EXPECT_EQ(seen_of(trace, ASSAY_ALLOWED_CORES), static_cast<std::int64_t>(host.cores.size()));
  EXPECT_EQ(seen_of(trace, ASSAY_CORE_PRESSURE), 6'000);
  EXPECT_EQ(seen_of(trace, ASSAY_MEMORY_PRESSURE), 8'000);
  EXPECT_EQ(seen_of(trace, ASSAY_AVAILABLE_MEMORY), 2144 * 1024);
  EXPECT_TRUE(seen_of(trace, ASSAY_LOST_CORES));
  EXPECT_THAT(probe.absent(), testing::IsEmpty());
  // What changes is seen in the next sample.
  host.write("fs/cgroup/a/b/cpu.stat", "nr_throttled 1\nthrottled_usec 2\n");
  recorded_trace later;
  ASSERT_TRUE(probe.sample(later));
  EXPECT_EQ(seen_of(later, ASSAY_GROUP_THROTTLES), 5);
  EXPECT_EQ(seen_of(later, ASSAY_GROUP_THROTTLED), 9'000);
}

TEST(ConditionProbe, the_first_version_of_control_groups_is_read_as_well) {
  const fake_host host;
  host.write("proc/self/cgroup", "3:memory:/m\n1:cpu,cpuacct:/job\n0::/\n");
  host.write("fs/cgroup/cpu/job/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 55\n");
  condition_probe probe = host.probe();
  recorded_trace trace;
  ASSERT_TRUE(probe.sample(trace));
  EXPECT_EQ(seen_of(trace, ASSAY_GROUP_THROTTLES), 2);
  EXPECT_EQ(seen_of(trace, ASSAY_GROUP_THROTTLED), 55);
}

TEST(ConditionProbe, what_is_not_exposed_is_absent_with_a_reason_and_never_0) {
  const fake_host host;
  host.write("proc/loadavg", "");
  host.write("proc/stat", "cpu  1 2 3\n");
  host.write("proc/pressure/cpu", "some avg10=0.00");
  for (const int core : host.cores)
    host.write(host.core(core) + "/thermal_throttle/core_throttle_count", "garbage\n");
  condition_probe probe = host.probe();
  recorded_trace trace;
  ASSERT_TRUE(probe.sample(trace));
  for (const assay_record& each : trace.of_kind(ASSAY_CONDITION))
    EXPECT_TRUE(each.op == ASSAY_ALLOWED_CORES || each.op == ASSAY_LOST_CORES ||
                each.op == ASSAY_MAJOR_FAULTS)
        << int{each.op};
  EXPECT_EQ(probe.absent().size(), 10u);
  EXPECT_THAT(absence_of(probe, "throttled by heat"), HasSubstr("not exposed"));
  EXPECT_THAT(absence_of(probe, "held back by the control group"), HasSubstr("no control group"));
  const std::string no_clock = absence_of(probe, "core clock, by cpufreq");
  EXPECT_THAT(no_clock, HasSubstr("no frequency driver"));
  EXPECT_THAT(no_clock, HasSubstr("scaling_cur_freq: No such file"));
  EXPECT_THAT(no_clock, HasSubstr("hides it from a container or a virtual machine"));
  EXPECT_THAT(no_clock, Not(HasSubstr("/proc ")));
  EXPECT_THAT(absence_of(probe, "some task waited for memory"), HasSubstr("pressure/memory"));
  EXPECT_THAT(absence_of(probe, "stolen by a hypervisor"), HasSubstr("field 8"));
}

TEST(ConditionProbe, what_was_seen_once_is_not_absent) {
  condition_probe probe;
  int calls = 0;
  probe.add(ASSAY_GPU_POWER, [&]() -> result<std::int64_t> {
    if (++calls == 1) return 71'000;
    return ASSAY_FAIL(unavailable, "gone");
  });
  probe.add(ASSAY_SM_CLOCK, []() -> result<std::int64_t> { return ASSAY_FAIL(unavailable, "no"); });
  recorded_trace trace;
  ASSERT_TRUE(probe.sample(trace));
  ASSERT_TRUE(probe.sample(trace));
  EXPECT_EQ(trace.all.size(), 1u);
  ASSERT_EQ(probe.absent().size(), 1u);
  EXPECT_EQ(probe.absent()[0], (trace::absent_condition{"SM clock", "no"}));
}

TEST(ConditionProbe, a_full_trace_is_handed_on) {
  condition_probe probe;
  probe.add(ASSAY_ALLOWED_CORES, [] { return result<std::int64_t>(2); });
  recorded_trace trace;
  trace.refuses = true;
  EXPECT_FALSE(probe.sample(trace));
}

}  // namespace
}  // namespace assay::probes
