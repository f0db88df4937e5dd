// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a machine without a driver would be told to look at an environment variable, and a
// checkpoint that is too large would end in a number of CUDA's.
#include "runtime/device/cuda/cuda_absence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/device/cuda/cuda_device.h"
#include "runtime/device/cuda/cuda_try.h"
#include "tests/device/recording_observer.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/running_gpu_engine.h"

namespace assay::test {
namespace {

using device::cuda_absence;
using device::cuda_look;
using testing::HasSubstr;

struct absence_case {
  const char* name;
  cuda_look seen;
  const char* says;
};

class CudaAbsence : public testing::TestWithParam<absence_case> {};

TEST_P(CudaAbsence, is_one_sentence_with_its_own_remedy) {
  const auto why = cuda_absence(GetParam().seen);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->kind, error_kind::unavailable);
  EXPECT_THAT(why->message, HasSubstr(GetParam().says));
  EXPECT_THAT(why->message, HasSubstr("--device host"));
  EXPECT_EQ(why->message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Each, CudaAbsence,
    testing::Values(
        absence_case{"no_driver", {cudaErrorInsufficientDriver, 0, 0, 13000}, "no NVIDIA driver"},
        absence_case{"old_driver",
                     {cudaErrorInsufficientDriver, 0, 12040, 13000},
                     "goes up to CUDA 12.4, and this program was built with 13.0"},
        absence_case{"all_hidden", {cudaErrorNoDevice, 0, 13000, 13000}, "CUDA_VISIBLE_DEVICES"},
        absence_case{"none_counted", {cudaSuccess, 0, 13000, 13000}, "CUDA_VISIBLE_DEVICES"},
        absence_case{"driver_of_an_earlier_minor",
                     {cudaErrorNoDevice, 0, 13000, 13010},
                     "CUDA_VISIBLE_DEVICES"},
        absence_case{"taken",
                     {cudaErrorDevicesUnavailable, 0, 13000, 13000},
                     "cudaErrorDevicesUnavailable"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(CudaAbsenceOf, a_machine_with_a_gpu_is_none) {
  EXPECT_FALSE(cuda_absence({cudaSuccess, 1, 13000, 13000}));
  // A driver may be older by a minor version, and count all the same.
  EXPECT_FALSE(cuda_absence({cudaSuccess, 2, 12080, 13000}));
}

TEST(CudaAbsenceOf, this_machine_is_found_or_said) {
  const auto found = device::find_cuda_device(0);
  if (found) return;
  EXPECT_EQ(found.error().kind, error_kind::unavailable);
  EXPECT_THAT(found.error().message, HasSubstr("--device host"));
}

TEST(CudaAbsenceOf, device_memory_names_it_and_the_remedy) {
  const error full = device::cuda_error(cudaErrorMemoryAllocation, "cudaSetDevice(0)", __FILE__, 1);
  EXPECT_EQ(full.kind, error_kind::out_of_memory);
  EXPECT_THAT(full.message, HasSubstr("cudaSetDevice(0): cudaErrorMemoryAllocation"));
  EXPECT_THAT(full.message, HasSubstr("free device memory"));
}

// The first call that fails of a lost device is rarely the one that lost it.
TEST(CudaAbsenceOf, a_lost_device_could_not_measure_and_is_no_defect_of_the_call) {
  for (const cudaError_t code : {cudaErrorIllegalAddress, cudaErrorLaunchFailure,
                                 cudaErrorECCUncorrectable, cudaErrorDevicesUnavailable}) {
    const error lost = device::cuda_error(code, "cudaStreamSynchronize(stream)", __FILE__, 1);
    EXPECT_EQ(lost.kind, error_kind::unavailable) << lost.message;
    EXPECT_THAT(lost.message, HasSubstr("cudaStreamSynchronize(stream): cudaError"));
    EXPECT_THAT(lost.message, HasSubstr("; ")) << "it says what to do";
  }
  EXPECT_EQ(device::cuda_error(cudaErrorInvalidValue, "call", __FILE__, 1).kind,
            error_kind::internal);
}

TEST(GpuWeights, of_a_checkpoint_larger_than_the_device_are_never_copied) {
  ASSAY_NEEDS_GPU();
  const auto gpu = device::cuda_device::create({.memory_limit_bytes = 1 << 20});
  ASSERT_TRUE(gpu) << gpu.error().message;
  device::recording_observer observer;
  (*gpu)->set_observer(&observer);
  telemetry::registry counters;
  const auto refused =
      engine::gpu_engine::load(tree("scenarios/embedded/micro-qwen3"), **gpu, **gpu, counters, {});
  (*gpu)->set_observer(nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::out_of_memory);
  EXPECT_THAT(refused.error().message, HasSubstr("GPU memory: weights 6951936"));
  EXPECT_TRUE(observer.submissions().empty());
  EXPECT_TRUE(observer.memory().empty());
}

}  // namespace
}  // namespace assay::test
