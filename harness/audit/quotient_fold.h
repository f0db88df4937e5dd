// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Ratios whose contract names their two parts, recomputed from each snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/audit/claim_book.h"
#include "harness/audit/window_tracker.h"

namespace assay::audit {

/// Only the rounding of one division lies between a ratio and its parts.
inline constexpr double quotient_tolerance = 1e-6;

struct quotient_evidence {
  std::string words;  ///< as the contract has it
  std::size_t ratio_row = 0;
  std::size_t part_row = 0;
  std::size_t whole_row = 0;
  std::uint64_t evaluated = 0;
  std::uint64_t broken = 0;
  window_name first;  ///< window in which it was broken first
  double claimed = 0.0;
  double recomputed = 0.0;
};

class quotient_fold {
 public:
  explicit quotient_fold(const std::vector<counter_spec>& specs);

  /// A window ends. Where the whole is 0 or not written there is no ratio to look at.
  void close(const window_name& window, const claim_book& claims);

  const std::vector<quotient_evidence>& findings() const { return findings_; }

 private:
  std::vector<quotient_evidence> findings_;
};

}  // namespace assay::audit
