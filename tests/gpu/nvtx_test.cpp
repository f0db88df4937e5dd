// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a range could name a step to nobody, or another step's work.
//
// NVTX looks for its listener once a process, and CUPTI has one session in it.
#include <dlfcn.h>

#include <cstdlib>
#include <map>

#include <gmock/gmock.h>

#include "probes/cupti/cupti_probe.h"
#include "probes/nvtx/nvtx_ranges.h"
#include "runtime/telemetry/clock.h"
#include "tests/gpu/gpu_gate.h"

namespace assay::test {
namespace {

using testing::ElementsAre;

/// The file that CUPTI was loaded from: NVTX must be led to the same one.
std::string cupti_file() {
  const auto library = probes::cupti_library::load();
  Dl_info found{};
  if (!library || dladdr(reinterpret_cast<const void*>((*library)->get_version), &found) == 0)
    return {};
  return found.dli_fname;
}

TEST(Cupti6Ranges, name_the_steps_to_cupti_and_enclose_their_work) {
  ASSAY_NEEDS_GPU();
  const std::string file = cupti_file();
  ASSERT_FALSE(file.empty());
  ASSERT_EQ(setenv("NVTX_INJECTION64_PATH", file.c_str(), 1), 0);
  auto probe = probes::cupti_probe::open({.records_ranges = true});
  ASSERT_TRUE(probe) << probe.error().message;
  probes::nvtx_ranges ranges;
  void* memory = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, 4096));
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_TRUE((*probe)->take());

  const std::int64_t begin_ns = host_now().ns;
  ranges.push("decode step 7", 7);
  ranges.push("compute: runtime.compute.device_ns", 7);
  ASSERT_CUDA(cudaMemset(memory, 1, 4096));
  ASSERT_CUDA(cudaDeviceSynchronize());
  ranges.pop();
  ranges.pop();
  const std::int64_t end_ns = host_now().ns;
  const auto seen = (*probe)->take();
  ASSERT_TRUE(seen) << seen.error().message;

  std::vector<std::string> begun;
  std::vector<std::string> ended;
  std::map<std::uint32_t, std::string> open;
  for (const probes::nvtx_marker& each : seen->ranges) {
    EXPECT_GE(each.at_ns, begin_ns - 50'000);
    EXPECT_LE(each.at_ns, end_ns + 50'000);
    if (each.is_begin) {
      EXPECT_EQ(each.domain, "assay");
      begun.push_back(each.name);
      open[each.id] = each.name;
    } else {
      ended.push_back(open[each.id]);
    }
  }
  EXPECT_THAT(begun, ElementsAre("decode step 7", "compute: runtime.compute.device_ns"));
  EXPECT_THAT(ended, ElementsAre("compute: runtime.compute.device_ns", "decode step 7"));
  ASSERT_CUDA(cudaFree(memory));
}

}  // namespace
}  // namespace assay::test
