// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The thread of one stream.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "runtime/device/host_queue.h"
#include "runtime/device/operation_runner.h"

namespace assay::device {

/// Runs a stream's operations in order, one at a time, on a thread named assay-stream-N.
/// Ownership: runner, arena, pool and observer outlive it.
class host_worker {
 public:
  /// Returns when the thread runs and its id is known.
  host_worker(std::uint32_t stream, std::int64_t spin_ns, const host_arena& arena, host_pool& pool,
              operation_runner& runner, const std::atomic<observer*>& reports_to);
  /// join() if nobody did.
  ~host_worker();
  host_worker(const host_worker&) = delete;
  host_worker& operator=(const host_worker&) = delete;

  host_queue& queue() noexcept { return queue_; }
  /// Kernel id of the thread, as in /proc/self/task.
  std::uint32_t tid() const noexcept { return tid_.load(std::memory_order_acquire); }
  /// Queues the stream's end; nothing may be submitted after it.
  void end();
  /// Ends the stream if nobody did, and returns when what is queued has run.
  void join();

 private:
  void run_until_end();

  worker_site site_;
  operation_runner& runner_;
  const std::atomic<observer*>& reports_to_;
  host_queue queue_;
  bool is_ended_ = false;
  std::atomic<std::uint32_t> tid_{0};
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace assay::device
