// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/copy_check.h"

#include <algorithm>
#include <limits>
#include <string>

namespace assay::device {
namespace {

struct copy_ends {
  bool to_device;
  bool from_device;
};

constexpr copy_ends ends_of(copy_direction direction) {
  return {direction != copy_direction::d2h, direction != copy_direction::h2d};
}

std::string text_of(copy_direction direction) {
  switch (direction) {
    case copy_direction::h2d:
      return "h2d";
    case copy_direction::d2h:
      return "d2h";
    case copy_direction::d2d:
      return "d2d";
  }
  return "?";
}

bool wraps(const void* address, std::uint64_t bytes) {
  return bytes >
         std::numeric_limits<std::uintptr_t>::max() - reinterpret_cast<std::uintptr_t>(address);
}

bool is_host(const host_arena& arena, const void* address, std::uint64_t bytes) {
  return address != nullptr && !wraps(address, bytes) && !arena.touches(address, bytes);
}

bool overlap(const void* a, const void* b, std::uint64_t bytes) {
  const auto low = reinterpret_cast<std::uintptr_t>(std::min(a, b));
  const auto high = reinterpret_cast<std::uintptr_t>(std::max(a, b));
  return high - low < bytes;
}

error refusal(copy_direction direction, std::uint64_t bytes, const char* reason) {
  return {
      error_kind::usage,
      "device: " + text_of(direction) + " copy of " + std::to_string(bytes) + " bytes: " + reason,
      __FILE__, __LINE__};
}

}  // namespace

result<void> check_copy(const host_arena& arena, const void* destination, const void* source,
                        std::uint64_t bytes, copy_direction direction) {
  const copy_ends ends = ends_of(direction);
  // A copy of nothing has two ends all the same.
  const std::uint64_t extent = std::max<std::uint64_t>(bytes, 1);
  const auto lies = [&](const void* address, bool on_device) {
    return on_device ? arena.contains(address, extent) : is_host(arena, address, extent);
  };
  if (!lies(destination, ends.to_device)) [[unlikely]]
    return failure(refusal(direction, bytes,
                           ends.to_device ? "the destination is not within the device's memory"
                                          : "the destination is not within the host's memory"));
  if (!lies(source, ends.from_device)) [[unlikely]]
    return failure(refusal(direction, bytes,
                           ends.from_device ? "the source is not within the device's memory"
                                            : "the source is not within the host's memory"));
  if (direction == copy_direction::d2d && overlap(destination, source, bytes)) [[unlikely]]
    return failure(refusal(direction, bytes, "source and destination overlap"));
  return {};
}

}  // namespace assay::device
