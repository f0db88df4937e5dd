// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A window over a file that moves forward, or over bytes in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/telemetry/result.h"

namespace assay::trace {

/// Shows as many of the next bytes as asked for, up to `limit_bytes` at once. Read, not mapped: a
/// file that shrinks meanwhile gives fewer bytes, and not a signal.
class byte_source {
 public:
  static result<byte_source> open(const std::string& path, std::size_t limit_bytes);
  static byte_source from_memory(std::span<const std::byte> bytes);

  byte_source(byte_source&& other) noexcept;
  byte_source& operator=(byte_source&&) = delete;
  ~byte_source();

  /// The next bytes, unconsumed: fewer than `wanted_bytes` only where the source ends before.
  /// Valid until the next call.
  result<std::span<const std::byte>> peek(std::size_t wanted_bytes);
  void consume(std::size_t bytes);
  std::uint64_t offset_bytes() const { return offset_bytes_; }

 private:
  byte_source() = default;
  result<void> refill(std::size_t wanted_bytes);

  std::string path_;
  int fd_ = -1;
  bool is_at_end_ = true;
  std::size_t capacity_bytes_ = 0;
  std::unique_ptr<std::byte[]> buffer_;
  std::span<const std::byte> window_;  // unconsumed bytes
  std::uint64_t offset_bytes_ = 0;     // of the window's begin in the source
};

}  // namespace assay::trace
