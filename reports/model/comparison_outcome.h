// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a comparison comes to.
#pragma once

#include <algorithm>
#include <cstddef>

#include "reports/model/comparison_report.h"
#include "reports/model/outcome.h"

namespace assay::model {

inline std::size_t count_of(const comparison_report& report, row_state state) {
  return static_cast<std::size_t>(std::count_if(report.rows.begin(), report.rows.end(),
                                                [&](const auto& r) { return r.state == state; }));
}

/// A finding that may fail a build: measured in pairs, or a count that admits no noise.
inline bool is_adjudicated(const comparison_row& row) {
  return !row.is_advisory || row.is_exact;
}

inline bool has_regressed(const comparison_report& report, bool is_adjudicated_wanted) {
  return std::any_of(report.rows.begin(), report.rows.end(), [&](const comparison_row& row) {
    return row.state == row_state::regressed && is_adjudicated(row) == is_adjudicated_wanted;
  });
}

/// Whether every row that both sides have is of different things: then nothing was compared.
inline bool is_nothing_comparable(const comparison_report& report) {
  const auto in_both = report.rows.size() - count_of(report, row_state::added) -
                       count_of(report, row_state::removed);
  return in_both > 0 && count_of(report, row_state::not_comparable) == in_both;
}

/// A count that only base has. Counts are promised to be equal: this one was not looked at.
inline bool has_lost_count(const comparison_report& report) {
  return std::any_of(report.rows.begin(), report.rows.end(), [](const comparison_row& row) {
    return row.state == row_state::removed && row.is_exact;
  });
}

/// Rows that looked worse in the screen and were not followed up, for want of time or pairs.
inline std::size_t unconfirmed_count(const comparison_report& report) {
  return static_cast<std::size_t>(std::count_if(
      report.rows.begin(), report.rows.end(), [](const auto& r) { return r.is_left_unconfirmed; }));
}

/// Where several hold, the first of: not comparable, could not measure, found, undecided.
/// A contaminated run finds nothing but exact counts. A regression that files suggest which were
/// not measured in pairs is undecided: run it in pairs. So is a count that head no longer has, and
/// a row that looked worse and was left without the fresh pairs that could tell. `is_strict` also
/// takes a row that was inconclusive, removed, added or not comparable for undecided.
inline outcome outcome_of(const comparison_report& report, bool is_strict = false) {
  if (is_nothing_comparable(report)) return outcome::not_comparable;
  const std::size_t one_sided =
      count_of(report, row_state::added) + count_of(report, row_state::removed);
  const bool has_compared_nothing = report.rows.size() == one_sided;
  if (has_compared_nothing || !report.is_complete || count_of(report, row_state::errored) > 0)
    return outcome::could_not_measure;
  if (has_regressed(report, true)) return outcome::found;
  if (report.is_contaminated || has_regressed(report, false) || has_lost_count(report) ||
      unconfirmed_count(report) > 0)
    return outcome::undecided;
  const std::size_t open = one_sided + count_of(report, row_state::inconclusive) +
                           count_of(report, row_state::not_comparable);
  return is_strict && open > 0 ? outcome::undecided : outcome::clean;
}

}  // namespace assay::model
