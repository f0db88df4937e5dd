// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Rows of pairs whose truth is known: the same on every platform.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "harness/compare/paired_row.h"

namespace assay::compare_test {

/// Draws from a fixed engine; the sum of twelve even draws less six has a deviation of 1.
class noise {
 public:
  explicit noise(std::uint32_t seed) : engine_(seed) {}
  double operator()() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine_()) / 4294967296.0;
    return sum;
  }

 private:
  std::mt19937 engine_;
};

struct row_truth {
  double shift_ln = 0.0;   ///< of ln(head/base)
  double noise_ln = 0.02;  ///< deviation of one process
  double base_value = 1000.0;
  std::size_t screen_pairs = 12;
  std::size_t confirm_pairs = 32;
};

compare::paired_row noisy_row(const std::string& name, const row_truth& truth, noise& draw);

/// Pairs whose ln(head/base) are exactly these.
std::vector<compare::value_pair> pairs_of(const std::vector<double>& differences);

}  // namespace assay::compare_test
