// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a GPU has given out, and which copies lie within it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "runtime/device/records.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

/// Live buffers by their addresses, and the limit that they share.
/// Threads: one at a time.
class buffer_book {
 public:
  void limit(std::uint64_t bytes) { limit_bytes_ = bytes; }
  std::uint64_t limit_bytes() const { return limit_bytes_; }

  /// What a request takes, rounded as host_arena rounds it: the runtime's own books do the same.
  /// Errors: usage for 0 bytes; out_of_memory, naming what was asked, what is live and the limit.
  result<std::uint64_t> grant(std::uint64_t asked_bytes) const;
  void enter(const void* at, std::uint64_t granted_bytes);
  /// What was granted there; nothing where no live buffer begins.
  std::optional<std::uint64_t> granted_at(const void* at) const;
  void strike(const void* at);
  template <class Function>
  void for_each(const Function& with) const {
    for (const auto& [address, bytes] : live_) with(reinterpret_cast<void*>(address));
  }

  /// As check_copy of the host device: do the two ends lie where the direction says, whole, and
  /// apart from each other? What lies in no live buffer is the host's. Errors: usage.
  result<void> check_copy(const void* destination, const void* source, std::uint64_t bytes,
                          copy_direction direction) const;

 private:
  /// The buffer that begins at or before an address.
  std::map<std::uintptr_t, std::uint64_t>::const_iterator before(std::uintptr_t address) const;
  bool holds(std::uintptr_t address, std::uint64_t bytes) const;
  bool touches(std::uintptr_t address, std::uint64_t bytes) const;

  std::map<std::uintptr_t, std::uint64_t> live_;  // address -> bytes granted
  std::uint64_t live_bytes_ = 0;
  std::uint64_t limit_bytes_ = 0;
};

}  // namespace assay::device
