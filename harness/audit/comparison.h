// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Claims against exact values and against bounds, window by window.
#pragma once

#include <cstdint>

#include "harness/audit/number.h"
#include "harness/audit/window_tracker.h"

namespace assay::audit {

/// The first window that shows a mismatch, kept for the message.
struct mismatch {
  bool is_known = false;
  window_name where;
  number claimed;
  number observed;
};

/// Σ of what an EQUAL reference said and of what the counter claimed in the same windows. The three
/// ways to differ are told apart because they are different lies with different rules.
struct exact_tally {
  std::uint64_t compared = 0;
  std::uint64_t active = 0;           ///< windows in which the reference saw something
  std::uint64_t zero = 0;             ///< claimed nothing where there was something
  std::uint64_t longest_silence = 0;  ///< such windows in a row, idle ones between not counted
  std::uint64_t phantom = 0;          ///< claimed something where there was nothing
  std::uint64_t differ = 0;           ///< both claimed and observed, and not equal
  number claimed;
  number observed;
  number last_claimed;
  number last_observed;
  mismatch first;

  void compare(const window_name& where, const number& claim, const number& reference);
  std::uint64_t mismatches() const { return zero + phantom + differ; }

 private:
  std::uint64_t silence_ = 0;
};

/// What an interruption between two parties' stamps of one moment may have done to a bound. Amounts
/// are exact and forgive nothing.
enum class bound_leniency : std::uint8_t { none, time, rate };

/// An interruption is a slice of the scheduler's or the hypervisor's: milliseconds, not more.
inline constexpr double interruption_max_ns = 20e6;
/// The same where a rate stands for the time: an interruption halves or doubles it, not more.
inline constexpr double interruption_max_factor = 2.0;
/// Of bounds on times this share may be broken by interruptions; with fewer than four windows none.
inline constexpr std::uint64_t windows_per_interruption = 4;

/// An AT_MOST or AT_LEAST reference.
struct bound_tally {
  bound_leniency leniency = bound_leniency::none;
  std::uint64_t compared = 0;
  std::uint64_t violated = 0;
  std::uint64_t beyond = 0;  ///< violated by more than an interruption explains
  std::uint64_t zero = 0;    ///< violated by claiming nothing where at least something is certain
  number claimed;
  number bound;
  mismatch first;

  void compare(const window_name& where, const number& claim, const number& limit, bool is_upper);
  /// Is the counter outside of the bound, and not just interrupted now and then?
  bool is_broken() const;

 private:
  bool is_interruption(double claim, double limit) const;
};

}  // namespace assay::audit
