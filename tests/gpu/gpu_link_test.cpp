// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, the ceilings of a GPU could be an enqueue's, a cache's, or copies that never came.
#include "probes/gpu_link/gpu_link_probe.h"

#include <cstdio>

#include <gmock/gmock.h>

#include "probes/gpu_link/gpu_arithmetic_probe.h"
#include "probes/gpu_link/held_stream.h"
#include "probes/nvml/nvml_probe.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/probes/recorded_trace.h"

namespace assay::test {
namespace {

using probes::gpu_link_probe;
using telemetry::link_class;

constexpr std::uint64_t mib = 1 << 20;

std::function<result<probes::link_state>()> nvml_link() {
  auto opened = probes::nvml_probe::open();
  if (!opened) return {};
  auto nvml = std::shared_ptr(std::move(*opened));
  return [nvml]() -> result<probes::link_state> {
    ASSAY_TRY_ASSIGN(const probes::nvml_link now, nvml->link());
    return probes::link_state{now.generation, now.width};
  };
}

void expect_samples_below(const trace::link_ceiling& ceiling, const recorded_trace& trace) {
  std::uint64_t count = 0;
  for (const assay_record& each : trace.all) {
    if (each.direction != static_cast<int>(ceiling.link)) continue;
    ++count;
    EXPECT_GE(each.end_ns - each.start_ns, 1'000'000);
    EXPECT_LE(
        static_cast<double>(each.amount) * 1e9 / static_cast<double>(each.end_ns - each.start_ns),
        ceiling.soft_bytes_per_s);
  }
  EXPECT_EQ(count, ceiling.samples);
}

TEST(GpuLink, measures_the_link_and_the_memory) {
  ASSAY_NEEDS_GPU();
  auto made = gpu_link_probe::create({.read_link = nvml_link()});
  ASSERT_TRUE(made) << made.error().message;
  recorded_trace trace;
  const std::int64_t begin_ns = host_now().ns;
  const auto calibrated = (*made)->calibrate(trace);
  ASSERT_TRUE(calibrated) << calibrated.error().message;
  std::printf("calibrated in %.0f ms\n", static_cast<double>(host_now().ns - begin_ns) / 1e6);
  for (int i = 0; i < 3; ++i) {
    const std::int64_t sample_ns = host_now().ns;
    const auto sampled = (*made)->sample(trace);
    ASSERT_TRUE(sampled) << sampled.error().message;
    std::printf("sampled in %.0f ms\n", static_cast<double>(host_now().ns - sample_ns) / 1e6);
    if (const auto link = (*made)->link_under_load(); link)
      std::printf("generation %u, %u lanes under load\n", link->generation, link->width);
    else
      std::printf("link under load: %s\n", link.error().message.c_str());
  }
  double soft[16] = {};
  for (const trace::link_ceiling& each : (*made)->ceilings()) {
    std::printf("link %d: soft %.1f GB/s, hard %.1f GB/s, %llu samples; %s\n",
                static_cast<int>(each.link), each.soft_bytes_per_s / 1e9,
                each.hard_bytes_per_s / 1e9, static_cast<unsigned long long>(each.samples),
                each.reason.c_str());
    soft[static_cast<int>(each.link)] = each.soft_bytes_per_s;
    EXPECT_GT(each.soft_bytes_per_s, 0.0) << each.reason;
    if (each.hard_bytes_per_s > 0.0) {
      EXPECT_LE(each.soft_bytes_per_s, each.hard_bytes_per_s);
    }
    expect_samples_below(each, trace);
  }
  // What holds on every GPU: an enqueue's rate, or a cache's, breaks one of these.
  EXPECT_LT(soft[ASSAY_LINK_PCIE], 130e9);
  EXPECT_LT(soft[ASSAY_LINK_PCIE_PAGEABLE], soft[ASSAY_LINK_PCIE] * 1.05);
  EXPECT_LT(soft[ASSAY_LINK_DEVICE_COPY], soft[ASSAY_LINK_DEVICE_READ]);
  EXPECT_GT(soft[ASSAY_LINK_DEVICE_READ], soft[ASSAY_LINK_PCIE]);
}

TEST(GpuLink, has_no_physical_bound_without_a_reader_of_the_link) {
  ASSAY_NEEDS_GPU();
  auto made = gpu_link_probe::create({.device_set_bytes = 512 * mib, .samples = 1});
  ASSERT_TRUE(made) << made.error().message;
  recorded_trace trace;
  const auto calibrated = (*made)->calibrate(trace);
  ASSERT_TRUE(calibrated) << calibrated.error().message;
  for (const trace::link_ceiling& each : (*made)->ceilings()) {
    const bool is_memory =
        each.link == link_class::device_read || each.link == link_class::device_copy;
    EXPECT_EQ(each.hard_bytes_per_s > 0.0, is_memory) << each.reason;
  }
}

TEST(GpuLink, does_not_take_a_cache_for_memory) {
  ASSAY_NEEDS_GPU();
  auto made = gpu_link_probe::create({.device_set_bytes = 32 * mib, .samples = 1});
  ASSERT_TRUE(made) << made.error().message;
  recorded_trace trace;
  const auto calibrated = (*made)->calibrate(trace);
  ASSERT_TRUE(calibrated) << calibrated.error().message;
  for (const trace::link_ceiling& each : (*made)->ceilings())
    if (each.link == link_class::device_read) {
      EXPECT_EQ(each.soft_bytes_per_s, 0.0);
      EXPECT_THAT(each.reason, testing::HasSubstr("L2 cache"));
    }
}

TEST(GpuLink, refuses_sizes_that_it_cannot_verify) {
  ASSAY_NEEDS_GPU();
  EXPECT_FALSE(gpu_link_probe::create({.copy_bytes = 0}));
  EXPECT_FALSE(gpu_link_probe::create({.pageable_bytes = 4099}));
}

// The answer of a launch whose kernel ran `rounds` times; -1 where CUDA refused.
template <class Enqueue>
std::int64_t answer_of(const probes::arithmetic_work& work, Enqueue enqueue) {
  const auto sum = probes::device_words::create(sizeof(std::uint64_t));
  if (!sum || cudaMemset(sum->data(), 0, sum->bytes()) != cudaSuccess) return -1;
  std::uint64_t total = 0;
  if (enqueue(nullptr, work, sum->data()) != cudaSuccess ||
      cudaMemcpy(&total, sum->data(), sizeof total, cudaMemcpyDeviceToHost) != cudaSuccess)
    return -1;
  return static_cast<std::int64_t>(total);
}

TEST(GpuArithmetic, every_multiply_add_is_in_its_answer) {
  ASSAY_NEEDS_GPU();
  // 3 blocks of 256 threads with 8 chains; of tensor cores 4 results each, 16 products a round.
  const probes::arithmetic_work work{3, 100};
  EXPECT_EQ(answer_of(work, probes::enqueue_multiply_adds), 3 * 256 * 8 * 100);
  EXPECT_EQ(answer_of(work, probes::enqueue_tensor_products), 3 * 256 * 8 * 4 * 16 * 100);
  EXPECT_EQ(work.f32_answer(), 614'400U);
  EXPECT_EQ(work.tensor_answer(), 39'321'600U);
  EXPECT_EQ(work.f32_operations(), 2.0 * 614'400);
  EXPECT_EQ(work.tensor_operations(), 2.0 * 39'321'600);
  EXPECT_NE(answer_of({3, 99}, probes::enqueue_multiply_adds), 614'400) << "a round is left out";
}

// H200: 132 multiprocessors with 128 f32 lanes at 1.98 GHz are 66.9 TFLOP/s; tensor cores are
// said to do 989, which a warp's own instruction does not reach.
TEST(GpuArithmetic, lies_where_the_hardware_can) {
  ASSAY_NEEDS_GPU();
  auto made = probes::gpu_arithmetic_probe::create(0);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->ceilings().at(0).operations_per_s, 0.0) << "nothing was sampled yet";
  const std::int64_t begin_ns = host_now().ns;
  for (int i = 0; i < 3; ++i) {
    const auto sampled = (*made)->sample();
    ASSERT_TRUE(sampled) << sampled.error().message;
  }
  std::printf("a sample in %.1f ms\n", static_cast<double>(host_now().ns - begin_ns) / 3e6);
  const auto found = (*made)->ceilings();
  ASSERT_EQ(found.size(), 2U);
  for (const trace::arithmetic_ceiling& each : found)
    std::printf("%s: %.1f TFLOP/s, %llu samples; %s\n", to_string(each.by).data(),
                each.operations_per_s / 1e12, static_cast<unsigned long long>(each.samples),
                each.reason.c_str());
  cudaDeviceProp properties{};
  ASSERT_CUDA(cudaGetDeviceProperties(&properties, 0));
  if (properties.major == 9 && properties.multiProcessorCount > 100) {
    EXPECT_GT(found[0].operations_per_s, 20e12);
    EXPECT_LT(found[0].operations_per_s, 75e12);
    EXPECT_LT(found[1].operations_per_s, 1'000e12);
  }
  EXPECT_GT(found[1].operations_per_s, found[0].operations_per_s);
}

TEST(HeldStream, has_no_time_of_the_hosts_in_its_own) {
  ASSAY_NEEDS_GPU();
  const auto held = probes::held_stream::create();
  ASSERT_TRUE(held) << held.error().message;
  const auto words = probes::device_words::create(32 << 10);
  ASSERT_TRUE(words);
  // 20 ms between two small launches: in the host's span, not in the device's.
  const auto slow = [&]() -> result<void> {
    for (int i = 0; i < 2; ++i) {
      ASSAY_CUDA_CALL(probes::enqueue_fill((*held)->native(), words->data(), words->bytes(), 1, 1));
      const host_time start = host_now();
      while (host_now() - start < 20'000'000) {
      }
    }
    return {};
  };
  ASSERT_TRUE((*held)->time(slow)) << "warms";
  const auto span = (*held)->time(slow);
  ASSERT_TRUE(span) << span.error().message;
  EXPECT_LT(span->took_ns, 10'000'000);
  EXPECT_FALSE((*held)->is_busy());
}

TEST(HeldStream, gives_up_where_the_host_does_not_come) {
  ASSAY_NEEDS_GPU();
  const auto held = probes::held_stream::create();
  ASSERT_TRUE(held) << held.error().message;
  const auto late = (*held)->time([]() -> result<void> {
    const host_time start = host_now();
    while (host_now() - start < probes::held_stream::longest_hold_ns + 200'000'000) {
    }
    return {};
  });
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, error_kind::unavailable);
  EXPECT_TRUE((*held)->time([]() -> result<void> { return {}; })) << "it can be used again";
}

TEST(HeldStream, leaves_nothing_behind_an_enqueue_that_failed) {
  ASSAY_NEEDS_GPU();
  const auto held = probes::held_stream::create();
  ASSERT_TRUE(held) << held.error().message;
  const auto failed = (*held)->time(
      []() -> result<void> { return ASSAY_FAIL(unavailable, "nothing today; come tomorrow"); });
  ASSERT_FALSE(failed);
  EXPECT_FALSE((*held)->is_busy());
  EXPECT_TRUE((*held)->time([]() -> result<void> { return {}; }));
}

}  // namespace
}  // namespace assay::test
