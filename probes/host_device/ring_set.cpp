// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/host_device/ring_set.h"

#include <utility>

namespace assay::probes {

namespace {

/// Numbers threads in the order of their first call. A tid would come back with another thread.
std::uint64_t number_of_this_thread() noexcept {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

ring_set::ring_set(std::size_t ring_capacity) : capacity_(ring_capacity) {
  for (std::size_t i = 0; i < ready_threads; ++i)
    if (auto made = record_ring::create(capacity_)) ready_.push_back(std::move(made));
}

std::unique_ptr<record_ring> ring_set::new_ring() noexcept {
  if (ready_.empty()) return record_ring::create(capacity_);
  auto ring = std::move(ready_.back());
  ready_.pop_back();
  return ring;
}

record_ring* ring_set::ring_of_this_thread() noexcept {
  const std::uint64_t owner = number_of_this_thread();
  const std::lock_guard lock(making_);
  const std::size_t count = ring_count_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i)
    if (rings_[i]->owner() == owner) return rings_[i].get();
  if (count == max_threads) return nullptr;
  auto made = new_ring();
  if (!made) return nullptr;
  made->give_to(owner);
  rings_[count] = std::move(made);
  ring_count_.store(count + 1, std::memory_order_release);
  return rings_[count].get();
}

std::uint64_t ring_set::lost_count() const noexcept {
  std::uint64_t lost = without_ring_.load(std::memory_order_relaxed);
  for (const auto& ring : rings()) lost += ring->dropped();
  return lost;
}

}  // namespace assay::probes
