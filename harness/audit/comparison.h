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

/// An AT_MOST or AT_LEAST reference.
struct bound_tally {
  std::uint64_t compared = 0;
  std::uint64_t violated = 0;
  std::uint64_t zero = 0;  ///< violated by claiming nothing where at least something is certain
  number claimed;
  number bound;
  mismatch first;

  void compare(const window_name& where, const number& claim, const number& limit, bool is_upper);
};

}  // namespace assay::audit
