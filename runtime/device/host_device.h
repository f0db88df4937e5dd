// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The host executor: a device whose streams are threads and whose memory is an arena.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/device/host_arena.h"
#include "runtime/device/host_call.h"
#include "runtime/device/host_event.h"
#include "runtime/device/host_pool.h"
#include "runtime/device/host_range.h"
#include "runtime/device/host_worker.h"
#include "runtime/device/operation_runner.h"

namespace assay::device {

struct host_device_options {
  std::uint64_t memory_limit_bytes = std::uint64_t{1} << 30;
  std::int64_t spin_ns = 20'000;  ///< how long a worker or a waiting caller spins before it sleeps
  /// That run a launch's blocks: the stream's worker and helpers that all streams share. 0: as many
  /// as the cores that this process may use.
  std::uint32_t threads = 0;
};

/// Streams, events and copies with CUDA's semantics on worker threads, without a GPU. The copies,
/// the threads and the times are real.
/// Writes no counter: what it reports to its observer is counted by the worker that did the work.
/// Ownership: the observer outlives the device or is taken off before. The destructor runs what is
/// queued, so host memory that a copy reads must outlive that too.
/// Threads: one submits to a given stream; everything else from any thread. The observer may be
/// changed while all streams are synchronised.
/// A queue that is full makes its submitter wait.
/// Overhead: a submission 40 ns where both sides share a core and 100 ns across cores, a launch
/// from submission to done 60–115 ns when pipelined; an observer adds 60 ns to each side, of which
/// 50 are two clock reads. Launch and synchronize 4 µs on one core beside a busy thread (AMD EPYC
/// 4th generation under KVM, 2 vCPU, 2026-12-01, tests/device/device_cost).
class host_device final : public device {
 public:
  static constexpr std::uint32_t stream_capacity = 64;
  static constexpr std::uint32_t event_capacity = 4096;

  static result<std::unique_ptr<host_device>> create(const host_device_options& options);
  /// With another runner of operations than the honest one.
  static result<std::unique_ptr<host_device>> create(const host_device_options& options,
                                                     std::unique_ptr<operation_runner> runner);
  ~host_device() override;

  result<buffer> allocate(std::uint64_t bytes) override;
  result<void> free(buffer what) override;
  std::uint64_t memory_limit_bytes() const override { return arena_->limit_bytes(); }

  result<stream> create_stream() override;
  result<event> create_event() override;

  result<void> copy_async(stream on, void* destination, const void* source, std::uint64_t bytes,
                          copy_direction direction) override;
  result<void> launch(stream on, const kernel& what) override;
  result<void> record_event(stream on, event what) override;
  result<void> wait_event(stream on, event what) override;

  result<bool> is_reached(event what) override;
  result<void> synchronize(stream on) override;
  result<std::int64_t> elapsed_ns(event from, event to) override;

  range_label set_range(range_label label) noexcept override;
  void set_observer(observer* who) noexcept override;

  /// Kernel ids of all threads that run work, as in /proc/self/task: the streams' by stream index,
  /// then the helpers'.
  std::vector<std::uint32_t> worker_tids() const;
  /// How many threads run a launch's blocks at most: one worker and all helpers.
  std::uint32_t launch_threads() const noexcept { return launch_threads_; }

 private:
  host_device(const host_device_options& options, std::unique_ptr<host_arena> arena,
              std::unique_ptr<operation_runner> runner);

  host_call begin_call(operation_kind kind, stream on) noexcept;
  host_worker* find(stream which) const noexcept;
  event_slot* find(event which) const noexcept;
  result<event_time> time_of(event which) const;

  const device_serial serial_;
  const std::int64_t spin_ns_;
  const std::unique_ptr<host_arena> arena_;
  const std::unique_ptr<operation_runner> runner_;
  const std::uint32_t launch_threads_;
  std::atomic<observer*> observer_{nullptr};
  std::atomic<correlation_id> last_correlation_{0};

  std::mutex growth_;  // held while a stream or an event is made
  std::atomic<std::uint32_t> stream_count_{0};
  std::atomic<std::uint32_t> event_count_{0};
  const std::unique_ptr<event_slot[]> events_;
  const std::unique_ptr<host_pool> pool_;
  std::array<std::unique_ptr<host_worker>, stream_capacity> workers_;  // last: ends first
};

}  // namespace assay::device
