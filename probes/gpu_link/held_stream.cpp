// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_link/held_stream.h"

#include <atomic>
#include <cmath>
#include <new>
#include <string>

namespace assay::probes {

result<std::unique_ptr<held_stream>> held_stream::create() {
  std::unique_ptr<held_stream> made(new held_stream);
  ASSAY_CUDA_CALL(cudaStreamCreateWithFlags(&made->stream_, cudaStreamNonBlocking));
  ASSAY_CUDA_CALL(cudaEventCreate(&made->begin_));
  ASSAY_CUDA_CALL(cudaEventCreate(&made->end_));
  ASSAY_TRY_ASSIGN(made->flag_memory_, pinned_words::create(sizeof(hold_flags)));
  made->flags_ = new (made->flag_memory_.data()) hold_flags;
  return made;
}

held_stream::~held_stream() {
  if (flags_ != nullptr) release();
  if (stream_ != nullptr) {
    static_cast<void>(cudaStreamSynchronize(stream_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  for (cudaEvent_t each : {begin_, end_})
    if (each != nullptr) static_cast<void>(cudaEventDestroy(each));
}

void held_stream::release() noexcept {
  std::atomic_ref(flags_->go).store(1, std::memory_order_release);
}

result<void> held_stream::enqueue_between_events(const std::function<result<void>()>& enqueue) {
  ASSAY_CUDA_CALL(enqueue_hold(stream_, flags_, longest_hold_ns));
  ASSAY_CUDA_CALL(cudaEventRecord(begin_, stream_));
  ASSAY_TRY(enqueue());
  ASSAY_CUDA_CALL(cudaEventRecord(end_, stream_));
  return {};
}

result<held_span> held_stream::time(const std::function<result<void>()>& enqueue,
                                    const std::function<void()>& meanwhile) {
  ASSAY_CUDA_CALL(cudaStreamSynchronize(stream_));
  *flags_ = hold_flags{};
  const auto enqueued = enqueue_between_events(enqueue);
  held_span span;
  span.released = host_now();
  release();
  if (enqueued && meanwhile) meanwhile();
  const auto ended = cuda_call(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  span.done = host_now();
  if (!enqueued) return failure(enqueued.error());
  if (!ended) return failure(ended.error());
  if (std::atomic_ref(flags_->gave_up).load(std::memory_order_acquire) != 0)
    return ASSAY_FAIL(unavailable, "GPU link: the host took longer than " +
                                       std::to_string(longest_hold_ns) +
                                       " ns to enqueue; its time would be in the sample");
  float ms = 0.0F;
  ASSAY_CUDA_CALL(cudaEventElapsedTime(&ms, begin_, end_));
  span.took_ns = std::llround(static_cast<double>(ms) * 1e6);
  return span;
}

}  // namespace assay::probes
