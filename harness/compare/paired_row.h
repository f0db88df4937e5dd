// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One benchmark by one metric, measured in pairs of processes: what the decision rests on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/model/comparison_report.h"

namespace assay::compare {

/// Whether a change of it has a ratio: above 0, and of a size that a quotient of two stays finite.
constexpr bool has_ratio(double value) {
  return value >= 1e-100 && value <= 1e100;
}

/// Two processes that ran next to each other. Each value is above 0 unless the row is exact.
struct value_pair {
  double base = 0.0;
  double head = 0.0;
  /// Of two processes that took turns: the median of their slices' ln(head ÷ base), which is the
  /// pair's one number. Absent: ln(head ÷ base) of the two values.
  std::optional<double> log_ratio{};
};

/// Fewer fresh pairs decide nothing, whatever their p value.
inline constexpr std::size_t fewest_fresh_pairs = 6;

/// Fewer pairs of a control say nothing where it is judged beside two others at 5 %.
inline constexpr std::size_t fewest_control_pairs = 8;

/// ln(later ÷ earlier) of the two processes of one side within one block: nothing changed between
/// them but the time.
struct same_side_contrasts {
  std::vector<double> base;
  std::vector<double> head;
};

struct paired_row {
  std::string name;
  std::string metric;
  std::string unit;
  model::direction better = model::direction::unknown;
  bool is_exact = false;
  bool is_control = false;    ///< the harness's own: reported among the controls, not the rows
  bool is_same_code = false;  ///< base and head run the same machine code: whatever moves is noise
  bool is_moved_code =
      false;  ///< the same code at other addresses: what moves is the layout's doing
  bool is_in_base = true;
  bool is_in_head = true;
  std::vector<value_pair> screen;
  std::vector<value_pair> confirm;  ///< fresh pairs of rows that passed the screen
  same_side_contrasts contrasts;
  std::string base_failure;  ///< why a side has no number; empty where it has
  std::string head_failure;
  std::string incomparable;  ///< why the two numbers are of different things
};

/// What turns numbers into states.
struct decision_rules {
  double threshold_ratio = 0.02;  ///< a change within it is of no interest
  std::optional<double>
      floor_ratio{};  ///< what two equal builds differ by on this class of machine
  std::string floor_source{};
  std::map<std::string, double> floor_of_row{};  ///< the same for single rows, by name
  double uncalibrated_floor_ratio = 0.10;        ///< where floor_ratio is absent
  double screen_level = 0.2;                     ///< one-sided, per row and direction
  double confirm_level = 0.05;                   ///< over all directions that passed the screen
  double interval_level = 0.90;  ///< two-sided: both its ends are one-sided 5 % tests
  std::size_t screen_pairs = 12;
  std::size_t confirm_pairs = 32;
  std::uint64_t seed = 0;

  std::optional<double> floor_of(const std::string& row) const {
    const auto own = floor_of_row.find(row);
    return own == floor_of_row.end() ? floor_ratio : std::optional(own->second);
  }
  double margin_ratio() const {
    return std::max(threshold_ratio, floor_ratio.value_or(uncalibrated_floor_ratio));
  }
  double margin_ratio(const std::string& row) const {
    return std::max(threshold_ratio, floor_of(row).value_or(uncalibrated_floor_ratio));
  }
};

}  // namespace assay::compare
