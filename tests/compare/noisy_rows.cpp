// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/compare/noisy_rows.h"

#include <cmath>

namespace assay::compare_test {
namespace {

std::vector<compare::value_pair> drawn_pairs(const row_truth& truth, std::size_t count,
                                             noise& draw) {
  std::vector<compare::value_pair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double base = truth.base_value * std::exp(truth.noise_ln * draw());
    const double head = truth.base_value * std::exp(truth.noise_ln * draw() + truth.shift_ln);
    pairs.push_back({base, head});
  }
  return pairs;
}

}  // namespace

compare::paired_row noisy_row(const std::string& name, const row_truth& truth, noise& draw) {
  compare::paired_row row;
  row.name = name;
  row.metric = "real_time";
  row.unit = "ns";
  row.better = model::direction::lower_is_better;
  row.screen = drawn_pairs(truth, truth.screen_pairs, draw);
  row.confirm = drawn_pairs(truth, truth.confirm_pairs, draw);
  for (std::size_t block = 0; block < truth.screen_pairs / 2; ++block) {
    row.contrasts.base.push_back(truth.noise_ln * (draw() - draw()));
    row.contrasts.head.push_back(truth.noise_ln * (draw() - draw()));
  }
  return row;
}

std::vector<compare::value_pair> pairs_of(const std::vector<double>& differences) {
  std::vector<compare::value_pair> pairs;
  for (const double d : differences) pairs.push_back({1000.0, 1000.0 * std::exp(d)});
  return pairs;
}

}  // namespace assay::compare_test
