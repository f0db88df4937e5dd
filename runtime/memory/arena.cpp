// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/arena.h"

#include <utility>

#include "runtime/telemetry/check.h"
#include "runtime/telemetry/range.h"

namespace assay::memory {

using telemetry::counter_id;

arena::arena(device::device& on, telemetry::counter_writer& counters)
    : device_(on), counters_(counters) {
  counters_.set(counter_id::arena_live_bytes, 0);
  counters_.add(counter_id::arena_allocations_count, 0);
  counters_.add(counter_id::arena_frees_count, 0);
}

std::shared_ptr<arena> arena::create(device::device& on, telemetry::counter_writer& counters) {
  return std::shared_ptr<arena>(new arena(on, counters));
}

result<device_buffer> arena::allocate(std::uint64_t bytes) {
  const device::scoped_range label(device_, telemetry::range::arena);
  ASSAY_TRY_ASSIGN(device::buffer what, device_.allocate(bytes));
  what.bytes = bytes;
  live_bytes_ += granted_bytes(bytes);
  const auto live = static_cast<std::int64_t>(live_bytes_);
  counters_.set(counter_id::arena_live_bytes, live);
  counters_.raise(counter_id::arena_peak_bytes, live);
  counters_.add(counter_id::arena_allocations_count, 1);
  return device_buffer(shared_from_this(), what);
}

void arena::release(device::buffer what) noexcept {
  const device::scoped_range label(device_, telemetry::range::arena);
  const auto freed = device_.free(what);
  ASSAY_CHECK(freed.has_value(), "a buffer that the arena gave was refused when given back");
  live_bytes_ -= granted_bytes(what.bytes);
  counters_.set(counter_id::arena_live_bytes, static_cast<std::int64_t>(live_bytes_));
  counters_.add(counter_id::arena_frees_count, 1);
}

device_buffer::device_buffer(device_buffer&& other) noexcept
    : from_(std::move(other.from_)), what_(std::exchange(other.what_, {})) {}

device_buffer& device_buffer::operator=(device_buffer&& other) noexcept {
  if (this != &other) {
    if (from_) from_->release(what_);
    from_ = std::move(other.from_);
    what_ = std::exchange(other.what_, {});
  }
  return *this;
}

device_buffer::~device_buffer() {
  if (from_) from_->release(what_);
}

}  // namespace assay::memory
