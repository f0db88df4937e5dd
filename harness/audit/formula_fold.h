// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Ratios and rates of the contract, computed anew from what the same snapshot publishes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/audit/claim_book.h"
#include "harness/audit/window_tracker.h"

namespace assay::audit {

/// Where a published quotient and its parts may differ by rounding.
inline constexpr double formula_tolerance = 1e-6;
/// Shares are measured one by one: each may be rounded.
inline constexpr double partition_tolerance = 0.01;

enum class formula_shape : std::uint8_t {
  ratio,      ///< part over whole, 0..1
  rate,       ///< anything else that is a quotient
  partition,  ///< shares of one whole
};

struct formula_evidence {
  formula_shape shape = formula_shape::rate;
  std::string words;               ///< as the contract has it
  std::string subject;             ///< the counter that is the quotient; of a partition the words
  int row = -1;                    ///< of that counter; none of a partition
  std::vector<std::size_t> parts;  ///< every other counter of it
  std::uint64_t evaluated = 0;
  std::uint64_t broken = 0;
  std::uint64_t of_nothing = 0;  ///< of these, published while the whole was 0
  window_name first;
  double claimed = 0.0;
  double again = 0.0;  ///< what the parts give; of nothing: 0
};

class formula_fold {
 public:
  explicit formula_fold(const std::vector<counter_spec>& specs);

  /// A window ends; readings count as they stand.
  void close(const window_name& window, const claim_book& claims);

  const std::vector<formula_evidence>& findings() const { return findings_; }

 private:
  struct rows {
    int result = -1;
    std::vector<std::size_t> part;
    std::vector<std::size_t> whole;
    double factor = 1.0;  ///< ns in a second, where the whole is a time and the quotient a rate
  };
  std::vector<rows> rows_;
  std::vector<formula_evidence> findings_;
  std::vector<counter_spec> specs_;
};

}  // namespace assay::audit
