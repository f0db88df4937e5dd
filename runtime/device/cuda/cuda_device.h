// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A GPU behind the device interface.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>

#include "runtime/device/cuda/buffer_book.h"
#include "runtime/device/cuda/pinned_staging.h"
#include "runtime/device/device.h"
#include "runtime/device/host_call.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

struct cuda_device_options {
  int index = 0;                         ///< among the visible ones
  std::uint64_t memory_limit_bytes = 0;  ///< of allocate(); 0: what is free when it is created
};

/// In the driver's count.
struct device_memory {
  std::uint64_t total_bytes = 0;
  std::uint64_t taken_bytes = 0;  ///< by this process, the driver, and others
};

/// Memory, streams, events and copies of one GPU. Writes no counter. Its observer is told of
/// submissions and of memory; what ran is for the driver's own records to say.
/// A kernel of this interface is a function of the host: launch() refuses it. Kernels for a GPU are
/// enqueued by submit_kernels(), whose function calls runtime/ops/cuda or replays a graph.
/// A copy out of memory that is not pinned goes through pinned staging, and copy_async returns when
/// it has been read.
/// Errors: create: as find_cuda_device, out_of_memory where the limit exceeds what is free; calls:
/// as device, and cuda_try's. After a fault of the device every call fails.
/// Ownership: the observer outlives the device. The destructor waits for what is queued.
/// Threads: as device.
class cuda_device final : public device {
 public:
  static result<std::unique_ptr<cuda_device>> create(const cuda_device_options& options);
  ~cuda_device() override;
  cuda_device(const cuda_device&) = delete;
  cuda_device& operator=(const cuda_device&) = delete;

  result<buffer> allocate(std::uint64_t bytes) override;
  result<void> free(buffer what) override;
  std::uint64_t memory_limit_bytes() const override;

  result<stream> create_stream() override;
  result<event> create_event() override;

  result<void> copy_async(stream on, void* destination, const void* source, std::uint64_t bytes,
                          copy_direction direction) override;
  /// Errors: unavailable, always: see above.
  result<void> launch(stream on, const kernel& what) override;
  result<void> submit_kernels(stream on, std::uint32_t kernels,
                              const native_submit& submit) override;
  result<void> record_event(stream on, event what) override;
  result<void> wait_event(stream on, event what) override;

  result<bool> is_reached(event what) override;
  result<void> synchronize(stream on) override;
  /// Clock: device event. Resolution: half a microsecond, and the driver's own rounding to f32 ms.
  result<std::int64_t> elapsed_ns(event from, event to) override;

  range_label set_range(range_label label) noexcept override;
  void set_observer(observer* who) noexcept override;

  /// allocate() gives no more in all from now on; what is live stays. Threads: as allocate().
  void limit_memory(std::uint64_t bytes);
  /// What the GPU has, and what of it is taken now, by whomever: the driver's word.
  result<device_memory> memory() const;

  /// The CUDA stream behind a stream; null where it does not exist.
  cudaStream_t native(stream which) const;
  int multiprocessors() const { return multiprocessors_; }
  int index() const { return index_; }

 private:
  struct event_entry {
    cudaEvent_t native = nullptr;
    bool is_recorded = false;
    correlation_id recorded_by = 0;  // the newest recording's call
  };

  explicit cuda_device(const cuda_device_options& options);
  result<void> open(const cuda_device_options& options);
  host_call begin_call(operation_kind kind, stream on) noexcept;
  result<void> enqueue_copy(cudaStream_t on, void* destination, const void* source,
                            std::uint64_t bytes, copy_direction direction);
  result<event_entry> find(event which) const;
  void tell_memory(bool is_allocation, const buffer& what, host_time asked) noexcept;

  const std::uint64_t serial_;
  const int index_;
  int multiprocessors_ = 0;
  std::atomic<observer*> observer_{nullptr};
  std::atomic<correlation_id> last_correlation_{0};

  // Held over a recording and over a wait, the driver's part and the book's: a wait would else name
  // another recording than the driver lets it wait for. Taken before mutex_.
  std::mutex event_order_;
  mutable std::mutex mutex_;  // guards everything below
  buffer_book buffers_;
  std::vector<cudaStream_t> streams_;
  std::vector<event_entry> events_;
  std::mutex staging_mutex_;
  std::unique_ptr<pinned_staging> staging_;
};

/// A device on the first GPU, as the device interface alone.
result<std::unique_ptr<device>> create_cuda_device();

}  // namespace assay::device
