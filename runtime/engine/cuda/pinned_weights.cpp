// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/pinned_weights.h"

#include "runtime/engine/side_by_side_copy.h"
#include "runtime/memory/arena.h"
#include "runtime/telemetry/clock.h"

namespace assay::engine {

result<void> pinned_weights::hold(contents wanted, std::size_t first_read_by_kernels) {
  refusal_.clear();
  const auto all = stand(wanted, 0);
  if (all) return {};
  if (all.error().kind != error_kind::out_of_memory) return all;
  refusal_ = all.error().message;
  return stand(wanted, first_read_by_kernels);
}

// Those before `first` stay where they are.
result<void> pinned_weights::stand(contents wanted, std::size_t first) {
  held_.assign(wanted.begin(), wanted.end());
  memory_.reset();
  std::uint64_t total = 0;
  for (std::size_t i = first; i < wanted.size(); ++i)
    total += memory::granted_bytes(wanted[i].size());
  if (first == 0 && total > most_bytes_)
    return ASSAY_FAIL(out_of_memory, std::to_string(total) + " bytes are more than the " +
                                         std::to_string(most_bytes_) + " that may be page-locked");
  if (total == 0) return {};
  const host_time begin = host_now();
  ASSAY_TRY_ASSIGN(memory_, device::pinned_buffer::create(total));
  allocation_ns_ = host_now() - begin;
  std::vector<copy_job> jobs;
  std::byte* at = memory_->data();
  for (std::size_t i = first; i < wanted.size(); ++i) {
    held_[i] = {at, wanted[i].size()};
    if (!wanted[i].empty()) jobs.push_back({at, wanted[i].data(), wanted[i].size()});
    at += memory::granted_bytes(wanted[i].size());
  }
  const host_time fill = host_now();
  copy_side_by_side(jobs, 1 + device::pinned_staging::threads_here());
  fill_ns_ = host_now() - fill;
  return {};
}

std::string pinned_weights::words() const {
  if (!refusal_.empty())
    return "come from the mapping of their files, by a ring of " +
           std::to_string(device::pinned_staging::pieces) + " page-locked pieces that " +
           std::to_string(1 + device::pinned_staging::threads_here()) +
           " threads fill: " + refusal_;
  if (!memory_) return "nothing is streamed";
  return std::to_string(memory_->bytes()) +
         " bytes stand once in page-locked host memory, taken in " +
         std::to_string(allocation_ns_ / 1'000'000) + " ms and filled by " +
         std::to_string(1 + device::pinned_staging::threads_here()) + " threads in " +
         std::to_string(fill_ns_ / 1'000'000) + " ms";
}

}  // namespace assay::engine
