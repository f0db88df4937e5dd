// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: doctor could call a GPU measurable whose records, counts or bounds nobody can have,
// or keep to itself what is worth less without them.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/gpu_look.h"

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

failure because(const char* why) {
  return ASSAY_FAIL(unavailable, why);
}

probes::nvml_sample whole_sample() {
  return {.from = {},
          .to = {},
          .pcie_tx_bytes = probes::nvml_counter{111, 0},
          .pcie_rx_bytes = probes::nvml_counter{222, 0},
          .link_generation = 1,
          .link_generation_max = 5,
          .link_width = 16,
          .link_width_max = 16,
          .sm_clock_hz = 345'000'000,
          .memory_clock_hz = 3'201'000'000,
          .throttle_mask = 1,
          .used_memory_bytes = 625};
}

gpu_look whole_look() {
  return {gpu_facts{"NVIDIA H200", "0000:0A:00.0", 140, 143},
          gpu_driver_facts{std::string("580.1"), 8, whole_sample()}, result<void>{}, 1'500};
}

ability line(const gpu_look& look, const std::string& what) {
  for (const ability& each : abilities_of(look))
    if (each.what == what) return each;
  ADD_FAILURE() << "no line " << what;
  return {};
}

TEST(GpuAbilities, are_all_there_on_a_whole_machine) {
  const auto all = abilities_of(whole_look());
  EXPECT_EQ(all.size(), 6U);
  for (const ability& each : all) EXPECT_EQ(each.state, ability_state::yes) << each.what;
  EXPECT_THAT(line(whole_look(), "CUDA device").detail,
              AllOf(HasSubstr("NVIDIA H200 at 0000:0A:00.0"), HasSubstr("140 of 143 bytes free")));
  EXPECT_THAT(line(whole_look(), "PCIe link").detail,
              AllOf(HasSubstr("generation 1 of 5, 16 of 16 lanes"), HasSubstr("trains down")));
  EXPECT_THAT(line(whole_look(), "NVML").detail,
              AllOf(HasSubstr("driver 580.1"), HasSubstr("held down by idle")));
  EXPECT_THAT(line(whole_look(), "PCIe byte counts").detail, HasSubstr("sent 111 bytes, received"));
}

TEST(GpuAbilities, without_a_driver_say_it_once_each_and_guess_nothing) {
  const gpu_look nothing{because("no NVIDIA driver is loaded"), because("libnvidia-ml not found"),
                         because("no NVIDIA driver is loaded"),
                         because("no NVIDIA driver is loaded")};
  const auto all = abilities_of(nothing);
  EXPECT_EQ(all.size(), 4U);
  for (const ability& each : all) {
    EXPECT_EQ(each.state, ability_state::no) << each.what;
    EXPECT_FALSE(each.detail.empty());
  }
  EXPECT_THAT(line(nothing, "CUPTI records").detail, HasSubstr("no NVIDIA driver is loaded"));
  EXPECT_THAT(line(nothing, "NVML").detail, HasSubstr("no physical bound"));
}

TEST(GpuAbilities, tell_hidden_gpus_from_none) {
  gpu_look look = whole_look();
  look.device = because("shows this process no GPU; look at CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(line(look, "CUDA device").detail, HasSubstr("NVML counts 8 here"));
  look.driver->gpu_count = 0;
  EXPECT_THAT(line(look, "CUDA device").detail, testing::Not(HasSubstr("NVML counts")));
}

TEST(GpuAbilities, name_who_holds_the_records) {
  gpu_look look = whole_look();
  look.records = because("CUPTI: held by 'somebody else'");
  const ability records = line(look, "CUPTI records");
  EXPECT_EQ(records.state, ability_state::no);
  EXPECT_THAT(records.detail, AllOf(HasSubstr("somebody else"), HasSubstr("undecided")));
  EXPECT_EQ(line(look, "CUDA device").state, ability_state::yes);
}

TEST(GpuAbilities, are_degraded_by_each_reading_that_is_absent) {
  for (const bool is_received : {false, true}) {
    gpu_look look = whole_look();
    (is_received ? look.driver->sample.pcie_rx_bytes : look.driver->sample.pcie_tx_bytes) =
        because("Not Supported");
    const ability counts = line(look, "PCIe byte counts");
    EXPECT_EQ(counts.state, ability_state::degraded);
    EXPECT_THAT(counts.detail, AllOf(HasSubstr("Not Supported"), HasSubstr("unseen")));
    EXPECT_EQ(line(look, "PCIe link").state, ability_state::yes);
  }
  for (const bool is_width : {false, true}) {
    gpu_look look = whole_look();
    (is_width ? look.driver->sample.link_width : look.driver->sample.link_generation) =
        because("no such function");
    const ability link = line(look, "PCIe link");
    EXPECT_EQ(link.state, ability_state::degraded);
    EXPECT_THAT(link.detail, AllOf(HasSubstr("no such function"), HasSubstr("no physical one")));
  }
}

TEST(GpuAbilities, say_that_counts_wrap) {
  gpu_look look = whole_look();
  look.driver->sample.pcie_rx_bytes->modulus = std::uint64_t{1} << 32;
  EXPECT_THAT(line(look, "PCIe byte counts").detail, HasSubstr("wrap"));
}

TEST(GpuAbilities, of_absent_numbers_are_question_marks_and_never_zero) {
  gpu_look look = whole_look();
  look.driver->version = because("no nvmlSystemGetDriverVersion");
  look.driver->sample.sm_clock_hz = because("Not Supported");
  look.driver->sample.throttle_mask = because("Not Supported");
  EXPECT_THAT(line(look, "NVML").detail,
              AllOf(HasSubstr("unknown: no nvmlSystemGetDriverVersion"), HasSubstr("SM ? Hz"),
                    HasSubstr("held down by Not Supported")));
}

TEST(GpuLook, ends_in_lines_whatever_this_machine_has) {
  const auto all = abilities_of(look_at_gpu());
  EXPECT_GE(all.size(), 4U);
  for (const ability& each : all) EXPECT_FALSE(each.detail.empty()) << each.what;
}

}  // namespace
}  // namespace assay::cli
