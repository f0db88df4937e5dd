// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/host_device/record_ring.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "runtime/telemetry/check.h"

namespace assay::probes {

std::unique_ptr<record_ring> record_ring::create(std::size_t capacity) noexcept {
  ASSAY_CHECK(std::has_single_bit(capacity), "the capacity of a ring is a power of two");
  // Zeroed, so that each page is mapped now and not under a push.
  std::unique_ptr<assay_record[]> slots(new (std::nothrow) assay_record[capacity]());
  if (!slots) return nullptr;
  return std::unique_ptr<record_ring>(new (std::nothrow) record_ring(std::move(slots), capacity));
}

std::array<std::span<assay_record>, 2> record_ring::pending(std::uint64_t until) noexcept {
  const std::uint64_t from = tail_.load(std::memory_order_relaxed);
  const std::uint64_t count = until - from;
  ASSAY_CHECK(count <= mask_ + 1, "a ring holds more records than it has slots");
  const std::uint64_t first = from & mask_;
  const std::uint64_t straight = std::min(count, mask_ + 1 - first);
  return {std::span(&slots_[first], straight), std::span(&slots_[0], count - straight)};
}

}  // namespace assay::probes
