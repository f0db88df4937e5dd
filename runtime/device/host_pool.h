// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Threads that take blocks of a launch beside the worker that runs it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/device/block_shares.h"
#include "runtime/device/device.h"
#include "runtime/device/read_ahead.h"
#include "runtime/device/spin_wait.h"

namespace assay::device {

/// What the blocks of one launch did, as counted while they ran.
struct launch_tally {
  std::uint64_t executed_blocks = 0;
  std::uint64_t weight_bytes = 0;
  std::uint64_t kv_bytes = 0;
  std::int64_t end_ns = 0;  ///< after the last block, read by whoever ran it; 0 where not asked for

  void add(const block_context& ran) {
    weight_bytes += ran.weight_bytes;
    kv_bytes += ran.kv_bytes;
  }
};

/// Helpers of a device's workers. Each runs neighbouring blocks, and whoever is free takes over
/// half of what another has left, so a thread that lost its core holds up one block, not its share.
/// A worker that finds the helpers busy with another stream's launch runs its blocks alone.
/// Threads: any worker may call run(); a helper waits with a bounded spin, then sleeps on a futex,
/// and so does the worker for the blocks that helpers hold.
/// Overhead: a launch that helpers are awake for costs 1–2 µs more than its blocks; waking them
/// costs the worker a futex call.
class host_pool {
 public:
  static constexpr std::uint32_t helper_capacity = 255;

  /// Returns when every helper runs and its id is known.
  host_pool(std::uint32_t helpers, std::int64_t spin_ns);
  ~host_pool();
  host_pool(const host_pool&) = delete;
  host_pool& operator=(const host_pool&) = delete;

  /// Runs `prepare` and then every block once; returns when all have run. Threads that wait ask the
  /// memory meanwhile for what `ahead` reads; null for nothing.
  launch_tally run(const kernel& what, bool is_timed, const kernel* ahead = nullptr);

  bool has_helpers() const noexcept { return !helpers_.empty(); }

  /// Kernel ids of the helpers, as in /proc/self/task.
  std::vector<std::uint32_t> tids() const;

 private:
  struct helper;

  launch_tally run_alone(const kernel& what, bool is_timed);
  void help(helper& self);
  std::uint64_t take_blocks(std::uint32_t share);
  void wait(const progress& what, std::uint64_t target, std::uint32_t share);
  void publish(const launch_tally& part);

  const std::int64_t spin_ns_;

  std::mutex owner_;        // held by the worker whose launch the helpers work on
  std::uint64_t jobs_ = 0;  // the owner's: launches handed to the helpers so far
  // Of the launch in hand. Written by the owner while no block is claimed, so nobody reads then.
  const kernel* what_ = nullptr;
  bool is_timed_ = false;
  std::uint32_t blocks_ = 0;

  // A helper that comes late to one launch takes from the next one or nothing, never a block that
  // is gone.
  block_shares shares_;
  read_ahead ahead_;
  alignas(64) std::atomic<std::uint64_t> done_{0};  // blocks of this launch that are over
  std::atomic<std::uint64_t> executed_blocks_{0};
  std::atomic<std::uint64_t> weight_bytes_{0};
  std::atomic<std::uint64_t> kv_bytes_{0};
  std::atomic<std::int64_t> end_ns_{0};
  progress called_;    // launches that helpers may look for
  progress finished_;  // launches of which a helper ran the last block
  std::atomic<bool> is_ending_{false};
  std::vector<std::unique_ptr<helper>> helpers_;  // last: they use all of the above
};

}  // namespace assay::device
