// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Device memory with an owner, and the counters that say how much of it the runtime holds.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/device/device.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::memory {

/// Alignment of every grant: what a device gives for `bytes` is this much rounded up.
inline constexpr std::uint64_t grant_alignment_bytes = 64;

constexpr std::uint64_t granted_bytes(std::uint64_t asked_bytes) {
  return (asked_bytes + grant_alignment_bytes - 1) / grant_alignment_bytes * grant_alignment_bytes;
}

class device_buffer;

/// Allocates from a device on the runtime's behalf and writes runtime.arena.*. The counters take
/// the size that a grant must have, from the request: what the device recorded is the other side.
/// Threads: one. Ownership: buffers keep it alive; device and writer must outlive it.
class arena : public std::enable_shared_from_this<arena> {
 public:
  static std::shared_ptr<arena> create(device::device& on, telemetry::counter_writer& counters);

  /// Errors: out_of_memory, the device's own sentence.
  result<device_buffer> allocate(std::uint64_t bytes);
  std::uint64_t live_bytes() const { return live_bytes_; }

 private:
  friend class device_buffer;
  arena(device::device& on, telemetry::counter_writer& counters);
  void release(device::buffer what) noexcept;

  device::device& device_;
  telemetry::counter_writer& counters_;
  std::uint64_t live_bytes_ = 0;
};

/// One allocation; gives it back when it goes out of scope. Movable.
class device_buffer {
 public:
  device_buffer() = default;
  device_buffer(device_buffer&& other) noexcept;
  device_buffer& operator=(device_buffer&& other) noexcept;
  ~device_buffer();

  std::byte* address() const { return what_.address; }
  std::uint64_t bytes() const { return what_.bytes; }

 private:
  friend class arena;
  device_buffer(std::shared_ptr<arena> from, device::buffer what)
      : from_(std::move(from)), what_(what) {}

  std::shared_ptr<arena> from_;
  device::buffer what_;
};

}  // namespace assay::memory
