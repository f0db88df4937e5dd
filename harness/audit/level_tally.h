// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How a counter's readings move beside what an exact reference says of each window.
#pragma once

#include <cstdint>

#include "harness/audit/number.h"
#include "harness/audit/window_tracker.h"

namespace assay::audit {

struct level_tally {
  std::uint64_t active = 0;    ///< windows in which the reference saw something
  std::uint64_t as_level = 0;  ///< of these, the reading is what the window alone brought
  std::uint64_t as_sum = 0;    ///< of these, the reading is all that there was so far
  bool has_varied = false;     ///< the reference said different things of different windows

  std::uint64_t held_windows = 0;  ///< the longest time that the reading stood, while …
  double held_ratio = 1.0;         ///< … the reference changed by this factor
  window_name held_since;

  /// `reading` as it stands at the window's end; `observed` of the window, or the level at its end.
  void take(const window_name& where, const number& reading, const number& observed);

 private:
  double sum_ = 0.0;
  double first_observed_ = 0.0;
  bool has_reading_ = false;
  double reading_ = 0.0;
  double least_ = 0.0;
  double most_ = 0.0;
  std::uint64_t windows_ = 0;
  window_name since_;
};

}  // namespace assay::audit
