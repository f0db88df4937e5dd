// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, the known answers of a GPU could be known to the host alone.
#include "probes/gpu_sentinel/gpu_sentinel_probe.h"

#include <cstdio>

#include "runtime/device/cuda/cuda_device.h"
#include "tests/device/recording_observer.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/probes/recorded_trace.h"

namespace assay::test {
namespace {

using probes::gpu_sentinel_probe;

TEST(GpuSentinel, comes_back_from_a_gpu_as_it_must) {
  ASSAY_NEEDS_GPU();
  const auto gpu = device::cuda_device::create({.memory_limit_bytes = std::uint64_t{2} << 30});
  ASSERT_TRUE(gpu) << gpu.error().message;
  const auto stream = (*gpu)->create_stream();
  ASSERT_TRUE(stream);
  device::recording_observer observer;
  (*gpu)->set_observer(&observer);
  auto made =
      gpu_sentinel_probe::create(**gpu, *stream, probes::on_cuda_stream((*gpu)->native(*stream)));
  ASSERT_TRUE(made) << made.error().message;
  gpu_sentinel_probe& sentinel = **made;
  EXPECT_EQ(sentinel.copy_bytes(), (std::uint64_t{64} << 20) + 4099);
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin_ns = host_now().ns;
    const auto issued = sentinel.issue();
    ASSERT_TRUE(issued) << issued.error().message;
    EXPECT_TRUE(sentinel.is_intact());
    recorded_trace trace;
    ASSERT_TRUE(sentinel.report(trace));
    ASSERT_EQ(trace.all.size(), 3U);
    for (const assay_record& each : trace.all) EXPECT_EQ(each.op, 1);
    const std::int64_t ran_ns = trace.all[1].extra[1];
    std::printf("issue %d: %.2f ms, the launch ran %lld ns by its own clock\n", i,
                static_cast<double>(host_now().ns - begin_ns) / 1e6,
                static_cast<long long>(ran_ns));
    EXPECT_GE(ran_ns, gpu_sentinel_probe::spin_ns);
    EXPECT_LT(ran_ns, trace.all[1].end_ns - trace.all[1].start_ns + 2'000);
  }
  (*gpu)->set_observer(nullptr);
  // Two copies and one synchronisation an issue: pinned memory goes in one piece.
  const auto calls = observer.submissions();
  EXPECT_EQ(calls.size(), 4U * 3U);
  for (const auto& call : calls) EXPECT_EQ(call.range, 7) << "range sentinel";
}

}  // namespace
}  // namespace assay::test
