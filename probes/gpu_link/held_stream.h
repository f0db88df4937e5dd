// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A stream that holds work back until all of it is enqueued, and times it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <cuda_runtime_api.h>

#include "probes/gpu_link/gpu_memory.h"
#include "probes/gpu_link/link_kernels.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

struct held_span {
  std::int64_t took_ns = 0;  ///< between two events right around the work
  host_time released;        ///< before the device could begin
  host_time done;            ///< when the host knew that it had ended
};

/// Resolution: half a microsecond and f32 milliseconds; fine from 1 ms on.
/// Threads: one.
class held_stream {
 public:
  static constexpr std::int64_t longest_hold_ns = 1'000'000'000;

  static result<std::unique_ptr<held_stream>> create();
  ~held_stream();
  held_stream(const held_stream&) = delete;
  held_stream& operator=(const held_stream&) = delete;

  cudaStream_t native() const { return stream_; }

  /// Enqueues, releases, calls `meanwhile` and waits.
  /// Errors: those of the three; unavailable, where the host took longer than longest_hold_ns to
  /// enqueue. Nothing is left on the stream in any case.
  result<held_span> time(const std::function<result<void>()>& enqueue,
                         const std::function<void()>& meanwhile = {});
  /// Is work left on the stream?
  bool is_busy() const { return cudaStreamQuery(stream_) == cudaErrorNotReady; }

 private:
  held_stream() = default;
  result<void> enqueue_between_events(const std::function<result<void>()>& enqueue);
  void release() noexcept;

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  pinned_words flag_memory_;
  hold_flags* flags_ = nullptr;
};

}  // namespace assay::probes
