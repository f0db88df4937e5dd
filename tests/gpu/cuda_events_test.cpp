// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a reference of the harness's own could be an enqueue's time, or an earlier step's.
#include <cstdio>

#include <gmock/gmock.h>

#include "probes/cuda_events/event_pair_probe.h"
#include "probes/gpu_sentinel/gpu_sentinel_probe.h"
#include "runtime/telemetry/clock.h"
#include "tests/gpu/gpu_gate.h"

namespace assay::test {
namespace {

using probes::event_pair_probe;

class CudaEvents : public testing::Test {
 protected:
  void SetUp() override {
    ASSAY_NEEDS_GPU();
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaMalloc(reinterpret_cast<void**>(&fingerprint), sizeof *fingerprint));
    ASSERT_CUDA(cudaMemset(fingerprint, 0, sizeof *fingerprint));
    ASSERT_TRUE(spin(1'000));
    ASSERT_CUDA(cudaDeviceSynchronize());
    auto events = probes::open_cuda_events(stream, 2 * pairs);
    ASSERT_TRUE(events) << events.error().message;
    probe = std::make_unique<event_pair_probe>(std::move(*events), pairs);
  }
  void TearDown() override {
    probe.reset();
    if (fingerprint != nullptr) (void)cudaFree(fingerprint);
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
  }

  result<void> spin(std::int64_t ns) {
    return probes::on_cuda_stream(stream).launch(fingerprint, ns);
  }

  static constexpr std::size_t pairs = 8;
  cudaStream_t stream = nullptr;
  probes::gpu_fingerprint* fingerprint = nullptr;
  std::unique_ptr<event_pair_probe> probe;
};

TEST_F(CudaEvents, time_the_work_and_not_its_enqueue) {
  for (std::uint64_t step = 0; step < 5; ++step) {
    ASSERT_TRUE(probe->begin(step));
    const std::int64_t enqueue_ns = host_now().ns;
    ASSERT_TRUE(spin(static_cast<std::int64_t>(2'000'000 * (step + 1))));
    EXPECT_LT(host_now().ns - enqueue_ns, 2'000'000);
    ASSERT_TRUE(probe->end());
  }
  const auto early = probe->take();
  ASSERT_TRUE(early) << early.error().message;
  EXPECT_LT(early->size(), 5U) << "30 ms of work are not done at once";
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  auto spans = *early;
  const auto late = probe->take();
  ASSERT_TRUE(late) << late.error().message;
  spans.insert(spans.end(), late->begin(), late->end());
  ASSERT_EQ(spans.size(), 5U);
  for (std::uint64_t step = 0; step < 5; ++step) {
    const auto least_ns = static_cast<std::int64_t>(2'000'000 * (step + 1));
    EXPECT_EQ(spans[step].step, step);
    EXPECT_GE(spans[step].took_ns + spans[step].error_ns + 1'000, least_ns);
    EXPECT_LT(spans[step].took_ns, least_ns + 1'000'000);
    std::printf("spun %lld ns: events say %lld, within %lld\n", static_cast<long long>(least_ns),
                static_cast<long long>(spans[step].took_ns),
                static_cast<long long>(spans[step].error_ns));
  }
  EXPECT_EQ(probe->unread_count(), 0U);
}

TEST_F(CudaEvents, are_never_recorded_into_a_graph) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  const auto refused = probe->begin(1);
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  ASSERT_CUDA(cudaGraphDestroy(graph));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("captured"));
  EXPECT_EQ(probe->unread_count(), 1U);
}

// What a shim makes of this error is the lie: 0 ns, or the time of the query before.
TEST_F(CudaEvents, that_a_graph_captured_have_no_time_and_leave_the_reading_alone) {
  cudaEvent_t before = nullptr;
  cudaEvent_t after = nullptr;
  ASSERT_CUDA(cudaEventCreate(&before));
  ASSERT_CUDA(cudaEventCreate(&after));
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  ASSERT_CUDA(cudaEventRecord(before, stream));
  ASSERT_TRUE(spin(2'000'000));
  ASSERT_CUDA(cudaEventRecord(after, stream));
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t replay = nullptr;
  ASSERT_CUDA(cudaGraphInstantiate(&replay, graph, 0));
  ASSERT_CUDA(cudaGraphLaunch(replay, stream));
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  float ms = 123.0F;
  const cudaError_t code = cudaEventElapsedTime(&ms, before, after);
  std::printf("two captured events: %s, reading %.1f\n", cudaGetErrorName(code), double{ms});
  EXPECT_NE(code, cudaSuccess);
  EXPECT_TRUE(ms == 123.0F || ms == 0.0F) << ms << " ms were made of 2 ms of work";
  static_cast<void>(cudaGetLastError());
  ASSERT_CUDA(cudaGraphExecDestroy(replay));
  ASSERT_CUDA(cudaGraphDestroy(graph));
  ASSERT_CUDA(cudaEventDestroy(before));
  ASSERT_CUDA(cudaEventDestroy(after));
}

TEST_F(CudaEvents, an_empty_step_takes_a_few_microseconds) {
  ASSERT_TRUE(probe->begin(1));
  ASSERT_TRUE(probe->end());
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  const auto spans = probe->take();
  ASSERT_TRUE(spans) << spans.error().message;
  ASSERT_EQ(spans->size(), 1U);
  std::printf("empty: %lld ns\n", static_cast<long long>(spans->front().took_ns));
  EXPECT_LT(spans->front().took_ns, 1'000'000);
}

}  // namespace
}  // namespace assay::test
