// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a driver that cannot count would be read as a link that carries nothing, and a
// count that went around as 2^64 bytes.
#include "probes/nvml/nvml_probe.h"

#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/nvml/nvml_traffic.h"
#include "tests/probes/fake_nvml.h"

namespace assay::probes {
namespace {

using testing::HasSubstr;

constexpr const char* whole = ASSAY_FAKE_NVML_WHOLE;
constexpr const char* poor = ASSAY_FAKE_NVML_POOR;
constexpr const char* headless = ASSAY_FAKE_NVML_HEADLESS;

class Nvml : public testing::Test {
 protected:
  Nvml() : state(state_of(whole)) {
    for (const char* library : {whole, poor}) state_of(library) = fake_nvml_state{};
    state.field_type = 3;
    state.tx_bytes = 7'000'000'000;
    state.rx_bytes = 9'000'000'000;
    state.generation = 5;
    state.width = 16;
  }

  static fake_nvml_state& state_of(const char* library) {
    void* handle = dlopen(library, RTLD_NOW);
    EXPECT_NE(handle, nullptr) << dlerror();
    return *static_cast<fake_nvml_state*>(dlsym(handle, "fake_nvml"));
  }

  static std::unique_ptr<nvml_probe> open(const char* library = whole) {
    auto made = nvml_probe::open({.pci_bus_id = "0000:0A:00.0", .library = library});
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : nullptr;
  }

  fake_nvml_state& state;
};

template <class T>
void expect_absent(const result<T>& reading, const char* reason) {
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().kind, error_kind::unavailable);
  EXPECT_THAT(reading.error().message, HasSubstr(reason));
}

/// Every reading of a sample is absent, for one reason.
void expect_all_absent(const nvml_sample& sample, const char* reason) {
  expect_absent(sample.pcie_tx_bytes, reason);
  expect_absent(sample.pcie_rx_bytes, reason);
  expect_absent(sample.link_generation, reason);
  expect_absent(sample.link_generation_max, reason);
  expect_absent(sample.link_width, reason);
  expect_absent(sample.link_width_max, reason);
  expect_absent(sample.sm_clock_hz, reason);
  expect_absent(sample.memory_clock_hz, reason);
  expect_absent(sample.used_memory_bytes, reason);
}

TEST_F(Nvml, reads_what_is_there) {
  state.throttle_mask = 0x4 | 0x20;
  const auto probe = open();
  ASSERT_TRUE(probe);
  EXPECT_STREQ(state.asked_bus_id, "0000:0A:00.0");
  const nvml_sample sample = probe->sample();
  EXPECT_EQ(sample.pcie_tx_bytes.value().value, 7'000'000'000U);
  EXPECT_EQ(sample.pcie_rx_bytes.value().value, 9'000'000'000U);
  EXPECT_EQ(sample.pcie_rx_bytes.value().modulus, 0U);
  EXPECT_EQ(sample.link_generation.value(), 5U);
  EXPECT_EQ(sample.link_generation_max.value(), 5U);
  EXPECT_EQ(sample.link_width.value(), 16U);
  EXPECT_EQ(sample.sm_clock_hz.value(), 1'980'000'000U);
  EXPECT_EQ(sample.memory_clock_hz.value(), 3'201'000'000U);
  EXPECT_EQ(throttle_words(sample.throttle_mask.value()), "power cap, thermal slowdown");
  EXPECT_EQ(sample.used_memory_bytes.value(), 600U);
  EXPECT_EQ(probe->temperature_celsius().value(), 64U);
  EXPECT_EQ(probe->power_milliwatt().value(), 412'345U);
  EXPECT_EQ(probe->driver_version().value(), "580.1.2");
  EXPECT_EQ(probe->gpu_count().value(), 8U);
  EXPECT_EQ(probe->link().value().generation, 5U);
  EXPECT_EQ(probe->link().value().width, 16U);
  EXPECT_LE(sample.from.ns, sample.to.ns);
}

TEST_F(Nvml, shuts_down_what_it_initialised) {
  { const auto probe = open(); }
  EXPECT_EQ(state.open_count, 0);
  state.device_code = 6;
  EXPECT_FALSE(nvml_probe::open({.library = whole}));
  EXPECT_EQ(state.open_count, 0) << "initialised, and no device";
  state.init_code = 9;
  EXPECT_FALSE(nvml_probe::open({.library = whole}));
  EXPECT_EQ(state.open_count, 0) << "never initialised";
}

TEST_F(Nvml, says_that_there_is_no_library) {
  const auto absent = nvml_probe::open({.library = "libnvidia-ml-nowhere.so.1"});
  expect_absent(absent, "libnvidia-ml-nowhere.so.1 was not found");
}

TEST_F(Nvml, says_which_of_the_first_functions_is_missing) {
  expect_absent(nvml_probe::open({.library = headless}), "nvmlDeviceGetHandleByPciBusId_v2");
}

TEST_F(Nvml, a_function_that_a_driver_lacks_is_a_reading_with_a_reason) {
  const auto probe = open(poor);
  ASSERT_TRUE(probe);
  const nvml_sample sample = probe->sample();
  expect_all_absent(sample, "has no nvmlDeviceGet");
  EXPECT_EQ(sample.throttle_mask.value(), 0U) << "by its older name";
  expect_absent(probe->gpu_count(), "nvmlDeviceGetCount_v2");
  expect_absent(probe->driver_version(), "nvmlSystemGetDriverVersion");
  expect_absent(probe->link(), "nvmlDeviceGetCurrPcieLinkGeneration");
}

TEST_F(Nvml, a_call_that_is_refused_is_a_reading_with_a_reason) {
  const auto probe = open();
  ASSERT_TRUE(probe);
  state.code = 15;
  expect_all_absent(probe->sample(), "GPU is lost (15)");
  expect_absent(probe->link(), "GPU is lost (15)");
}

TEST_F(Nvml, a_field_that_is_not_supported_is_not_zero_bytes) {
  const auto probe = open();
  ASSERT_TRUE(probe);
  state.field_code = 3;
  nvml_sample sample = probe->sample();
  expect_absent(sample.pcie_tx_bytes, "field 197): Not Supported (3)");
  expect_absent(sample.pcie_rx_bytes, "field 198): Not Supported (3)");
  EXPECT_TRUE(sample.link_generation) << "the rest goes on";
  state.field_code = 0;
  state.leaves_field_alone = 1;
  expect_absent(probe->sample().pcie_tx_bytes, "Not Supported");
  state.leaves_field_alone = 0;
  state.field_type = 0;
  expect_absent(probe->sample().pcie_tx_bytes, "no count");
  state.field_type = 4;
  state.tx_bytes = ~0ULL;  // -1
  expect_absent(probe->sample().pcie_tx_bytes, "no count");
}

TEST_F(Nvml, a_narrow_count_says_how_wide_it_is) {
  const auto probe = open();
  ASSERT_TRUE(probe);
  state.field_type = 1;
  state.rx_bytes = 0xfffffff0;
  const nvml_counter before = probe->sample().pcie_rx_bytes.value();
  EXPECT_EQ(before.value, 0xfffffff0U) << "the upper half of the union is not the count's";
  state.rx_bytes = 0x20;
  const auto gain = gained(before, probe->sample().pcie_rx_bytes.value());
  ASSERT_TRUE(gain) << gain.error().message;
  EXPECT_EQ(gain->amount, 0x30U);
  EXPECT_EQ(gain->ambiguity, std::uint64_t{1} << 32);
}

TEST(NvmlCounter, gains_exactly_or_says_why_nobody_knows) {
  const auto exact = gained({5, 0}, {12, 0});
  EXPECT_EQ(exact.value().amount, 7U);
  EXPECT_EQ(exact.value().ambiguity, 0U);
  expect_absent(gained({12, 0}, {5, 0}), "went back from 12 to 5");
  expect_absent(gained({12, 0}, {20, 1 << 16}), "changed its width");
  EXPECT_EQ(gained({65'535, 65'536}, {0, 65'536}).value().amount, 1U);
}

TEST(NvmlThrottle, names_each_reason) {
  EXPECT_EQ(throttle_words(0), "nothing");
  EXPECT_EQ(throttle_words(1), "idle");
  EXPECT_EQ(throttle_words(0x80), "power brake");
  EXPECT_THAT(throttle_words(0x204), HasSubstr("power cap, a reason unknown"));
}

constexpr nvml_counter narrow(std::uint64_t value) {
  return {value, std::uint64_t{1} << 32};
}
constexpr host_time at_ms(std::int64_t ms) {
  return host_time{ms * 1'000'000};
}

TEST(NvmlSum, follows_a_count_that_goes_around_between_readings) {
  nvml_sum sum;
  sum.add(narrow(4'000'000'000), at_ms(0));
  sum.add(narrow(1'000'000'000), at_ms(20));  // 2^32 - 3e9 more
  sum.add(narrow(4'294'000'000), at_ms(40));
  sum.add(narrow(500'000'000), at_ms(100));
  EXPECT_EQ(sum.amount().value(), std::uint64_t{1'294'967'296} + 3'294'000'000U + 500'967'296U);
}

TEST(NvmlSum, does_not_guess_how_often_it_went_around) {
  nvml_sum sum;
  sum.add(narrow(1'000), at_ms(0));
  EXPECT_FALSE(sum.amount()) << "one reading is no difference";
  sum.add(narrow(2'000), at_ms(61));
  sum.add(narrow(3'000), at_ms(62));
  const auto amount = sum.amount();
  ASSERT_FALSE(amount);
  EXPECT_EQ(amount.error().kind, error_kind::unavailable);
  EXPECT_THAT(amount.error().message, HasSubstr("gone around"));
}

TEST(NvmlSum, leaves_a_wide_count_its_time_and_does_not_let_it_go_back) {
  nvml_sum sum;
  sum.add({5'000, 0}, at_ms(0));
  sum.add({9'000'000'000'000, 0}, at_ms(10'000));
  EXPECT_EQ(sum.amount().value(), 8'999'999'995'000U);
  sum.add({7, 0}, at_ms(10'001));
  EXPECT_FALSE(sum.amount());
}

TEST_F(Nvml, watches_the_link_and_takes_a_last_reading) {
  state.rx_bytes_a_read = 1'000;
  const auto probe = open();
  auto watch = nvml_traffic_watch::start(*probe);
  ASSERT_TRUE(watch) << watch.error().message;
  const auto seen = (*watch)->stop();
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_GE(seen->received_bytes, 1'000U);
  EXPECT_EQ(seen->received_bytes % 1'000U, 0U);
  EXPECT_EQ(seen->sent_bytes, 0U);
}

TEST_F(Nvml, has_no_traffic_where_a_driver_does_not_count) {
  const auto probe = open(poor);
  const auto watch = nvml_traffic_watch::start(*probe);
  ASSERT_FALSE(watch);
  EXPECT_THAT(watch.error().message, HasSubstr("nvmlDeviceGetFieldValues"));
}

}  // namespace
}  // namespace assay::probes
