// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/product_check.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace assay::campaigns {
namespace {

constexpr std::uint32_t sampled_rows = 16;

double widened(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

double ratio(double off, double of) {
  const double found = std::sqrt(off) / std::sqrt(of);
  return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
}

}  // namespace

product_check::product_check(const product_problem& of) : of_(of) {
  std::mt19937 random(11);
  for (std::uint32_t i = 0; i < sampled_rows; ++i)
    sampled_rows_.push_back(i * (of.rows - 1) / (sampled_rows - 1));
  for (std::uint32_t r = 0; r < of.rows; ++r) signs_.push_back((random() & 1) == 0 ? 1.0 : -1.0);
  std::vector<double> signed_sum(of.columns, 0.0);  // Σ sign · row
  for (std::uint32_t r = 0; r < of.rows; ++r)
    for (std::uint32_t k = 0; k < of.columns; ++k)
      signed_sum[k] += signs_[r] * widened(of.weights[std::size_t{r} * of.columns + k]);
  for (std::uint32_t t = 0; t < of.tokens; ++t) {
    const float* x = of.x.data() + std::size_t{t} * of.columns;
    for (const std::uint32_t r : sampled_rows_) {
      const std::uint16_t* row = of.weights.data() + std::size_t{r} * of.columns;
      double sum = 0.0;
      for (std::uint32_t k = 0; k < of.columns; ++k)
        sum += widened(row[k]) * static_cast<double>(x[k]);
      sampled_.push_back(sum);
    }
    double sum = 0.0;
    for (std::uint32_t k = 0; k < of.columns; ++k) sum += signed_sum[k] * static_cast<double>(x[k]);
    sums_.push_back(sum);
  }
}

product_check::errors product_check::of(std::span<const float> out) const {
  double sampled_off = 0.0;
  double sampled_of = 0.0;
  double whole_off = 0.0;
  double whole_of = 0.0;
  for (std::uint32_t t = 0; t < of_.tokens; ++t) {
    const float* row = out.data() + std::size_t{t} * of_.rows;
    for (std::size_t i = 0; i < sampled_rows_.size(); ++i) {
      const double want = sampled_[t * sampled_rows_.size() + i];
      sampled_off += std::pow(static_cast<double>(row[sampled_rows_[i]]) - want, 2);
      sampled_of += want * want;
    }
    double sum = 0.0;
    for (std::uint32_t r = 0; r < of_.rows; ++r) {
      sum += signs_[r] * static_cast<double>(row[r]);
      whole_of += static_cast<double>(row[r]) * static_cast<double>(row[r]);
    }
    whole_off += std::pow(sum - sums_[t], 2);
  }
  return {ratio(sampled_off, sampled_of), ratio(whole_off, whole_of)};
}

}  // namespace assay::campaigns
