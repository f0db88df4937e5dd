// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_pool.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "runtime/telemetry/clock.h"

namespace assay::device {
namespace {

// The worker's share; helper number i has share i + 1.
constexpr std::uint32_t worker_share = 0;

void run_block(const kernel& what, std::uint32_t block, launch_tally& tally) {
  block_context context;
  context.block = block;
  context.blocks = what.blocks;
  what.body(what.arguments.data(), context);
  ++tally.executed_blocks;
  tally.add(context);
}

launch_tally prepared(const kernel& what) {
  launch_tally tally;
  if (what.prepare == nullptr) return tally;
  block_context context;
  context.blocks = what.blocks;
  what.prepare(what.arguments.data(), context);
  tally.add(context);
  return tally;
}

}  // namespace

struct host_pool::helper {
  std::uint32_t index = 0;
  std::atomic<std::uint32_t> tid{0};
  std::thread thread;
};

host_pool::host_pool(std::uint32_t helpers, std::int64_t spin_ns)
    : spin_ns_(spin_ns), shares_(helpers + 1), ahead_(helpers + 1) {
  for (std::uint32_t i = 0; i < helpers; ++i) {
    helpers_.push_back(std::make_unique<helper>());
    helper& made = *helpers_.back();
    made.index = i;
    made.thread = std::thread([this, &made] { help(made); });
    made.tid.wait(0);
  }
}

host_pool::~host_pool() {
  is_ending_.store(true, std::memory_order_seq_cst);
  called_.advance(++jobs_);
  for (const auto& each : helpers_) each->thread.join();
}

std::vector<std::uint32_t> host_pool::tids() const {
  std::vector<std::uint32_t> tids;
  for (const auto& each : helpers_) tids.push_back(each->tid.load(std::memory_order_acquire));
  return tids;
}

void host_pool::help(helper& self) {
  pthread_setname_np(pthread_self(), ("assay-pool-" + std::to_string(self.index)).c_str());
  self.tid.store(static_cast<std::uint32_t>(syscall(SYS_gettid)), std::memory_order_release);
  self.tid.notify_all();
  for (std::uint64_t seen = 0;;) {
    wait(called_, seen + 1, self.index + 1);
    seen = called_.reached();
    if (is_ending_.load(std::memory_order_acquire)) return;
    if (const std::uint64_t job = take_blocks(self.index + 1); job != 0) finished_.advance(job);
  }
}

// Returns the launch's number where the last of its blocks ended here, otherwise 0. All blocks that
// one call runs are of one launch: while it holds any that it has not published, none can follow.
std::uint64_t host_pool::take_blocks(std::uint32_t share) {
  launch_tally part;
  while (const auto block = shares_.take(share)) {
    if (share != worker_share) finished_.note_core();
    run_block(*what_, *block, part);
  }
  if (part.executed_blocks == 0) return 0;
  if (is_timed_) part.end_ns = host_now().ns;
  const std::uint64_t job = jobs_;
  const std::uint64_t all = blocks_;
  publish(part);
  const std::uint64_t before = done_.fetch_add(part.executed_blocks, std::memory_order_acq_rel);
  return before + part.executed_blocks == all ? job : 0;
}

void host_pool::wait(const progress& what, std::uint64_t target, std::uint32_t share) {
  while (what.reached() < target && ahead_.ask_some(share)) {
  }
  what.wait_for(target, spin_ns_);
}

void host_pool::publish(const launch_tally& part) {
  executed_blocks_.fetch_add(part.executed_blocks, std::memory_order_relaxed);
  weight_bytes_.fetch_add(part.weight_bytes, std::memory_order_relaxed);
  kv_bytes_.fetch_add(part.kv_bytes, std::memory_order_relaxed);
  std::int64_t latest = end_ns_.load(std::memory_order_relaxed);
  while (latest < part.end_ns &&
         !end_ns_.compare_exchange_weak(latest, part.end_ns, std::memory_order_relaxed)) {
  }
}

launch_tally host_pool::run_alone(const kernel& what, bool is_timed) {
  launch_tally tally = prepared(what);
  for (std::uint32_t block = 0; block < what.blocks; ++block) run_block(what, block, tally);
  if (is_timed) tally.end_ns = host_now().ns;
  return tally;
}

launch_tally host_pool::run(const kernel& what, bool is_timed, const kernel* ahead) {
  if (helpers_.empty() || what.blocks < 2) return run_alone(what, is_timed);
  const std::unique_lock mine(owner_, std::try_to_lock);
  if (!mine) return run_alone(what, is_timed);
  const launch_tally first = prepared(what);
  what_ = &what;
  is_timed_ = is_timed;
  blocks_ = what.blocks;
  const std::uint64_t job = ++jobs_;
  done_.store(0, std::memory_order_relaxed);
  executed_blocks_.store(0, std::memory_order_relaxed);
  weight_bytes_.store(first.weight_bytes, std::memory_order_relaxed);
  kv_bytes_.store(first.kv_bytes, std::memory_order_relaxed);
  end_ns_.store(0, std::memory_order_relaxed);
  ahead_.announce(ahead);
  shares_.deal(what.blocks);
  called_.advance(job);
  if (take_blocks(worker_share) != job) wait(finished_, job, worker_share);
  return {executed_blocks_.load(std::memory_order_relaxed),
          weight_bytes_.load(std::memory_order_relaxed), kv_bytes_.load(std::memory_order_relaxed),
          end_ns_.load(std::memory_order_relaxed)};
}

}  // namespace assay::device
