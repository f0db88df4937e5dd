// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/buffer_book.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace assay::device {
namespace {

constexpr std::uint64_t grant_alignment_bytes = 64;

std::uintptr_t number_of(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

}  // namespace

result<std::uint64_t> buffer_book::grant(std::uint64_t asked_bytes) const {
  if (asked_bytes == 0)
    return ASSAY_FAIL(usage, "device: allocation of 0 bytes; ask for 1 or more");
  const std::uint64_t over = asked_bytes % grant_alignment_bytes;
  const std::uint64_t granted = asked_bytes + (over == 0 ? 0 : grant_alignment_bytes - over);
  // Rounded up, what is close to 2^64 is next to nothing.
  const bool has_wrapped = granted < asked_bytes;
  if (has_wrapped || granted > limit_bytes_ || live_bytes_ > limit_bytes_ - granted)
    return ASSAY_FAIL(out_of_memory, "GPU memory: " + std::to_string(asked_bytes) +
                                         " bytes asked, " + std::to_string(live_bytes_) +
                                         " live, limit " + std::to_string(limit_bytes_) +
                                         "; raise the limit or ask for less");
  return granted;
}

void buffer_book::enter(const void* at, std::uint64_t granted_bytes) {
  live_.emplace(number_of(at), granted_bytes);
  live_bytes_ += granted_bytes;
}

std::optional<std::uint64_t> buffer_book::granted_at(const void* at) const {
  const auto found = live_.find(number_of(at));
  return found == live_.end() ? std::nullopt : std::optional(found->second);
}

void buffer_book::strike(const void* at) {
  const auto found = live_.find(number_of(at));
  if (found == live_.end()) return;
  live_bytes_ -= found->second;
  live_.erase(found);
}

std::map<std::uintptr_t, std::uint64_t>::const_iterator buffer_book::before(
    std::uintptr_t address) const {
  const auto after = live_.upper_bound(address);
  return after == live_.begin() ? live_.end() : std::prev(after);
}

// By lengths: the end of a copy of too many bytes may lie before its beginning.
bool buffer_book::holds(std::uintptr_t address, std::uint64_t bytes) const {
  const auto found = before(address);
  if (found == live_.end()) return false;
  const std::uint64_t offset = address - found->first;
  return offset < found->second && bytes <= found->second - offset;
}

bool buffer_book::touches(std::uintptr_t address, std::uint64_t bytes) const {
  if (holds(address, 1)) return true;
  const auto next = live_.upper_bound(address);
  return next != live_.end() && next->first - address < bytes;
}

result<void> buffer_book::check_copy(const void* destination, const void* source,
                                     std::uint64_t bytes, copy_direction direction) const {
  // A copy of nothing has two ends all the same.
  const std::uint64_t extent = std::max<std::uint64_t>(bytes, 1);
  const auto check = [&](const void* at, bool is_device) -> result<void> {
    const std::uintptr_t address = number_of(at);
    if (is_device && !holds(address, extent))
      return ASSAY_FAIL(usage,
                        "device: a copy's device end lies in no live buffer, or reaches past its "
                        "end");
    if (!is_device && (at == nullptr || touches(address, extent)))
      return ASSAY_FAIL(usage, "device: a copy's host end is none, or lies in a device buffer");
    return {};
  };
  ASSAY_TRY(check(destination, direction != copy_direction::d2h));
  ASSAY_TRY(check(source, direction != copy_direction::h2d));
  const auto [low, high] = std::minmax({number_of(destination), number_of(source)});
  if (direction == copy_direction::d2d && high - low < bytes)
    return ASSAY_FAIL(usage, "device: source and destination of a copy overlap");
  return {};
}

}  // namespace assay::device
