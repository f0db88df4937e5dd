// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a product ought to be, in f64 and by other code than any product's, so that none is timed
// that is wrong.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/campaigns/product.h"

namespace assay::campaigns {

class product_check {
 public:
  explicit product_check(const product_problem& of);

  struct errors {
    double sampled = 0.0;  ///< of some rows at all tokens: |got - want| over |want|, both L2
    double whole = 0.0;    ///< of a sum over all rows with random signs, over the same length
    double largest() const { return sampled > whole ? sampled : whole; }
  };
  /// `out` as product::run leaves it. NaN in it makes both errors infinite.
  errors of(std::span<const float> out) const;

 private:
  product_problem of_;
  std::vector<std::uint32_t> sampled_rows_;  // ascending, with the first and the last
  std::vector<double> sampled_;              // (tokens, sampled rows)
  std::vector<double> signs_;                // (rows)
  std::vector<double> sums_;                 // (tokens)
};

}  // namespace assay::campaigns
