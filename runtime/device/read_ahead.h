// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the next launch reads first, asked of the memory by threads that wait for this one to end.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/device/device.h"

namespace assay::device {

/// Between two launches the memory would idle: while the last blocks end, while the worker rotates
/// or copies a few rows alone, and while the next blocks wait for their first lines.
/// A plan is a hint. It may be torn or out of date where it is read, and then fetches lines that
/// nobody wants; no address can fault, and no value depends on it.
/// Threads: one announces, each thread asks by its own number.
/// Overhead: an announcement 20 ns a thread; a call of ask_some() as long as its lines take to be
/// accepted, less than 0.1 µs.
class read_ahead {
 public:
  /// Asked for at each place: 384 KiB for four, which half a second-level cache holds.
  static constexpr std::uint64_t bytes_a_place = 96 * 1024;

  explicit read_ahead(std::uint32_t threads);

  /// What each thread will read first of `next`; null leaves what was announced before.
  void announce(const kernel* next);
  /// Asks for a few lines of what thread number `thread` will read. False where nothing is left.
  bool ask_some(std::uint32_t thread);

 private:
  struct alignas(64) plan {
    std::atomic<std::uint64_t> number{0};
    std::atomic<std::uint64_t> bytes{0};  // at each place
    std::array<std::atomic<const std::byte*>, first_reads::capacity> places{};
    alignas(64) std::uint64_t asked_number = 0;  // the thread's own, as is what follows
    std::uint64_t asked_bytes = 0;
  };

  const std::uint32_t threads_;
  const std::unique_ptr<plan[]> plans_;
};

}  // namespace assay::device
