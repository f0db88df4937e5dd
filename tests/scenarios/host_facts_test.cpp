// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these a run could hide how it was started, or a setting that changed while it went on.
#include "harness/cli/host_facts.h"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/probes/fake_proc.h"

namespace assay::cli {
namespace {

using namespace std::string_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

std::string of(const std::vector<trace::named_fact>& facts, const std::string& name) {
  for (const trace::named_fact& each : facts)
    if (each.name == name) return each.value;
  return {};
}

TEST(HostFacts, a_command_line_is_as_a_shell_takes_it_again) {
  EXPECT_EQ(command_words("assay\0audit\0--out-trace\0x.trace\0"s),
            "assay audit --out-trace x.trace");
  EXPECT_EQ(command_words("a\0two words\0\0it's\0$(rm -rf .)\0"s),
            "a 'two words' '' 'it'\\''s' '$(rm -rf .)'");
  EXPECT_THAT(command_words(""), StartsWith("unknown"));
  EXPECT_THAT(command_words(std::string(9'000, 'x')),
              AllOf(HasSubstr("7000 bytes more"), SizeIs(testing::Lt(2'100u))));
}

TEST(HostFacts, knobs_are_those_that_are_set) {
  ASSERT_EQ(unsetenv("ASSAY_KV_PAGE_TOKENS"), 0);
  EXPECT_THAT(knob_words(), testing::Not(HasSubstr("ASSAY_KV_PAGE_TOKENS")));
  ASSERT_EQ(setenv("ASSAY_KV_PAGE_TOKENS", "8", 1), 0);
  EXPECT_THAT(knob_words(), HasSubstr("ASSAY_KV_PAGE_TOKENS=8"));
  ASSERT_EQ(unsetenv("ASSAY_KV_PAGE_TOKENS"), 0);
}

TEST(HostFacts, this_build_says_how_it_was_compiled) {
  EXPECT_FALSE(of(flag_facts(), "build type").empty());
  EXPECT_THAT(of(flag_facts(), "compile flags"), HasSubstr("-"));
  EXPECT_THAT(of(flag_facts(), "command line"), HasSubstr("scenarios_test"));
}

TEST(HostFacts, settings_are_told_or_why_not_and_those_that_changed_are_told_again) {
  const test::fake_proc sys;
  const auto before = setting_facts(sys.root(), sys.root());
  ASSERT_EQ(before.size(), 4u);
  EXPECT_THAT(of(before, "frequency governor"), HasSubstr("not exposed"));
  EXPECT_THAT(of(before, "turbo"), HasSubstr("not exposed"));
  EXPECT_THAT(of(before, "transparent huge pages"), HasSubstr("enabled"));
  sys.write("devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  sys.write("devices/system/cpu/intel_pstate/no_turbo", "1\n");
  sys.write("kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  const auto after = setting_facts(sys.root(), sys.root());
  EXPECT_EQ(of(after, "turbo"), "off");
  EXPECT_EQ(of(after, "transparent huge pages"), "madvise");
  const auto changed = changed_settings(before, after);
  ASSERT_EQ(changed.size(), 3u);
  EXPECT_EQ(of(changed, "frequency governor after"), "powersave");
  EXPECT_TRUE(changed_settings(after, after).empty());
  sys.write("devices/system/cpu/intel_pstate/no_turbo", "perhaps\n");
  sys.write("devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(of(setting_facts(sys.root(), sys.root()), "turbo"), "on");
}

}  // namespace
}  // namespace assay::cli
