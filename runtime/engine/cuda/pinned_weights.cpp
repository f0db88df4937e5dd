// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/pinned_weights.h"

#include "runtime/engine/side_by_side_copy.h"
#include "runtime/memory/arena.h"
#include "runtime/telemetry/clock.h"

namespace assay::engine {

result<void> pinned_weights::hold(contents wanted) {
  held_.clear();
  memory_.reset();
  std::uint64_t total = 0;
  for (const auto& each : wanted) total += memory::granted_bytes(each.size());
  const host_time begin = host_now();
  if (total > 0) {
    ASSAY_TRY_ASSIGN(memory_, device::pinned_buffer::create(total));
  }
  allocation_ns_ = host_now() - begin;
  std::vector<copy_job> jobs;
  std::byte* at = memory_ ? memory_->data() : nullptr;
  for (const auto& each : wanted) {
    held_.emplace_back(at, each.size());
    if (!each.empty()) jobs.push_back({at, each.data(), each.size()});
    if (at != nullptr) at += memory::granted_bytes(each.size());
  }
  const host_time fill = host_now();
  copy_side_by_side(jobs, 1 + device::pinned_staging::threads_here());
  fill_ns_ = host_now() - fill;
  return {};
}

std::string pinned_weights::words() const {
  if (!memory_) return "nothing is streamed";
  return std::to_string(memory_->bytes()) +
         " bytes stand once in page-locked host memory, taken in " +
         std::to_string(allocation_ns_ / 1'000'000) + " ms and filled by " +
         std::to_string(1 + device::pinned_staging::threads_here()) + " threads in " +
         std::to_string(fill_ns_ / 1'000'000) + " ms";
}

}  // namespace assay::engine
