// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Events as CUDA has them, behind an interface that a test can lie through.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Events 0, 1 … on one stream. Each may be recorded again once it was read.
class event_source {
 public:
  virtual ~event_source() = default;
  virtual result<void> record(std::size_t which) = 0;
  /// Of an event that was recorded.
  virtual result<bool> is_reached(std::size_t which) = 0;
  /// Of two that were reached. f32, as CUDA gives it.
  virtual result<float> elapsed_ms(std::size_t from, std::size_t to) = 0;
};

/// `count` events on `native_stream`, a cudaStream_t that outlives them; its device is current.
/// Errors: unavailable, out_of_memory: CUDA's. record: unavailable too while the stream is
/// captured: an event in a graph is a dependency, and has no time.
result<std::unique_ptr<event_source>> open_cuda_events(void* native_stream, std::size_t count);

}  // namespace assay::probes
