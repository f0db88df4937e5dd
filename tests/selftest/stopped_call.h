// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Stops the host device inside of a call that submits, for a length that is known beforehand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/device.h"

namespace assay::selftest_test {

/// From, to. Clock: CLOCK_MONOTONIC, by clock reads of the tests' own.
struct stamps {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

std::int64_t own_now_ns() noexcept;
/// Keeps the core until `length_ns` have passed.
stamps spin(std::int64_t length_ns) noexcept;
/// Asleep, but for the last bit: a sleeper is woken some tens of microseconds late.
stamps sleep_for(std::int64_t length_ns) noexcept;

/// A kernel's description on a page that nobody may read until the time has passed: whoever reads
/// it is stopped by the fault, wherever that is. The device reads what it is to launch behind the
/// stamp with which its call begins.
/// One a process at a time. Threads: one. Handlers of other faults are called as before.
class stopping_kernel {
 public:
  stopping_kernel();
  ~stopping_kernel();
  stopping_kernel(const stopping_kernel&) = delete;
  stopping_kernel& operator=(const stopping_kernel&) = delete;

  /// To be launched once; the reader is stopped for `length_ns`.
  const device::kernel& armed(std::int64_t length_ns);
  /// Of the stop, after the launch. `begin_ns` 0: nobody was stopped.
  stamps stopped() const;

 private:
  void* page_ = nullptr;
};

}  // namespace assay::selftest_test
