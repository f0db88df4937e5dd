// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/suspicion.h"

#include <cstddef>

#include <fmt/format.h>

namespace assay::compare {
namespace {

constexpr double implausible_factor = 5.0;
constexpr std::size_t fewest_rows = 3;

bool is_far_better(const model::comparison_row& row) {
  const double factor = 1.0 + *row.change_ratio;
  return row.better == model::direction::higher_is_better ? factor >= implausible_factor
                                                          : factor <= 1.0 / implausible_factor;
}

}  // namespace

std::string implausible_gain(const std::vector<model::comparison_row>& rows) {
  std::size_t compared = 0;
  for (const model::comparison_row& row : rows) {
    if (!row.change_ratio || row.is_exact) continue;
    if (!is_far_better(row)) return {};
    ++compared;
  }
  if (compared < fewest_rows) return {};
  return fmt::format(
      "all {} rows are better by a factor of {} or more: head most likely measured nothing",
      compared, implausible_factor);
}

std::string mostly_missing(const std::vector<model::comparison_row>& rows) {
  std::size_t in_base = 0;
  std::size_t removed = 0;
  for (const model::comparison_row& row : rows) {
    in_base += row.state != model::row_state::added;
    removed += row.state == model::row_state::removed;
  }
  if (removed < fewest_rows || 2 * removed <= in_base) return {};
  return fmt::format("{} of base's {} rows are missing in head", removed, in_base);
}

std::string too_few_pairs(const std::vector<model::comparison_row>& rows) {
  std::size_t in_both = 0;
  std::size_t unmeasured = 0;
  for (const model::comparison_row& row : rows) {
    if (row.state == model::row_state::added || row.state == model::row_state::removed) continue;
    ++in_both;
    unmeasured += row.state == model::row_state::inconclusive && !row.interval;
  }
  if (unmeasured == 0) return {};
  return fmt::format(
      "{} of {} rows have too few pairs to be judged: give a longer --budget, or more pairs "
      "(--screen-pairs, --confirm-pairs)",
      unmeasured, in_both);
}

}  // namespace assay::compare
