// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <utility>
#include <vector>

#include "probes/cuda/cuda_call.h"
#include "probes/cuda_events/event_source.h"

namespace assay::probes {
namespace {

class cuda_events final : public event_source {
 public:
  explicit cuda_events(cudaStream_t stream) : stream_(stream) {}
  ~cuda_events() override {
    for (cudaEvent_t each : events_) static_cast<void>(cudaEventDestroy(each));
  }
  cuda_events(const cuda_events&) = delete;
  cuda_events& operator=(const cuda_events&) = delete;

  result<void> create(std::size_t count) {
    while (events_.size() < count) {
      cudaEvent_t made = nullptr;
      ASSAY_CUDA_CALL(cudaEventCreate(&made));
      events_.push_back(made);
    }
    return {};
  }

  result<void> record(std::size_t which) override {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    ASSAY_CUDA_CALL(cudaStreamIsCapturing(stream_, &capture));
    if (capture != cudaStreamCaptureStatusNone)
      return ASSAY_FAIL(unavailable,
                        "CUDA events: the stream is being captured, and an event in a graph has no "
                        "time; record around the graph's launch");
    ASSAY_CUDA_CALL(cudaEventRecord(events_.at(which), stream_));
    return {};
  }

  result<bool> is_reached(std::size_t which) override {
    const cudaError_t code = cudaEventQuery(events_.at(which));
    if (code == cudaErrorNotReady) return false;
    ASSAY_TRY(cuda_call(code, "cudaEventQuery"));
    return true;
  }

  result<float> elapsed_ms(std::size_t from, std::size_t to) override {
    // On an error CUDA leaves it as it is: were it an earlier value, that would be the reading.
    float ms = std::numeric_limits<float>::quiet_NaN();
    ASSAY_CUDA_CALL(cudaEventElapsedTime(&ms, events_.at(from), events_.at(to)));
    return ms;
  }

 private:
  cudaStream_t stream_;
  std::vector<cudaEvent_t> events_;
};

}  // namespace

result<std::unique_ptr<event_source>> open_cuda_events(void* native_stream, std::size_t count) {
  auto made = std::make_unique<cuda_events>(static_cast<cudaStream_t>(native_stream));
  ASSAY_TRY(made->create(count));
  return std::unique_ptr<event_source>(std::move(made));
}

}  // namespace assay::probes
