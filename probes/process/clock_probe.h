// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How the device's clock relates to the host's, and whether anybody set the wall clock meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "probes/trace/sink.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Reads a clock, in ns of its own origin.
using clock_reader = std::function<std::int64_t()>;

/// CLOCK_MONOTONIC: the host clock, and on the host device also the device's.
std::int64_t read_monotonic_ns();

/// Takes samples of the device's clock between two reads of the host's.
/// Overhead: 0.1 µs a sample where the first bracket is short enough.
class clock_probe {
 public:
  /// A longer bracket says too little about where in it the device's clock was read; it comes from
  /// an interruption between the reads, so it is taken again.
  static constexpr std::int64_t longest_bracket_ns = 10'000;
  static constexpr int tries = 32;

  explicit clock_probe(clock_reader host = read_monotonic_ns,
                       clock_reader device = read_monotonic_ns)
      : host_(std::move(host)), device_(std::move(device)) {}

  /// Writes one ASSAY_CLOCK_SAMPLE: start and end host clock, amount device clock between them.
  /// Errors: unavailable, where no bracket of `tries` was short enough, or the host clock ran
  /// backwards.
  result<void> sample(trace::sink& to) const;

 private:
  clock_reader host_;
  clock_reader device_;
};

/// The wall clock beside the clock that nobody steers.
struct wall_reading {
  std::int64_t realtime_ns = 0;  ///< CLOCK_REALTIME
  std::int64_t raw_ns = 0;       ///< CLOCK_MONOTONIC_RAW
  std::int64_t bracket_ns = 0;   ///< how long the pair took to read
  /// The processor's own steady counter beside them (x86: TSC); 0 where it has none that a program
  /// may read.
  std::uint64_t ticks = 0;
};

/// Errors: unavailable, where the machine has no such clocks.
result<wall_reading> read_wall();

/// By how much the wall clock was set between two readings; 0 where the difference is no more than
/// what steering (at most 500 ppm, adjtimex(2)) and the brackets explain.
/// Units: ns, positive for forwards.
std::int64_t wall_step_ns(const wall_reading& early, const wall_reading& late);

/// Ticks a second of the processor's counter between two readings at least 1 ms apart; nothing
/// where it has none, or where it stood or ran backwards.
std::optional<double> ticks_per_s(const wall_reading& early, const wall_reading& late);

}  // namespace assay::probes
