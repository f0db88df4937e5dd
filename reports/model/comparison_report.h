// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The result of a comparison, as plain structs. harness/compare decides, reports/* render.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/audit_report.h"
#include "reports/model/coverage_table.h"
#include "reports/model/sample_set.h"

namespace assay::model {

/// Each row of base or head has exactly one.
enum class row_state : std::uint8_t {
  regressed,
  improved,
  unchanged,     ///< shown to be within the margin; never for lack of a test
  inconclusive,  ///< the data allow neither of the three
  added,
  removed,
  errored,         ///< a side has no number
  not_comparable,  ///< both have one, of different things
};

inline constexpr std::array all_row_states{
    row_state::regressed, row_state::improved, row_state::unchanged, row_state::inconclusive,
    row_state::added,     row_state::removed,  row_state::errored,   row_state::not_comparable};

constexpr std::string_view to_string(row_state s) {
  switch (s) {
    case row_state::regressed:
      return "regressed";
    case row_state::improved:
      return "improved";
    case row_state::unchanged:
      return "unchanged";
    case row_state::inconclusive:
      return "inconclusive";
    case row_state::added:
      return "added";
    case row_state::removed:
      return "removed";
    case row_state::errored:
      return "errored";
    case row_state::not_comparable:
      return "not comparable";
  }
  return "?";
}

/// head ÷ base − 1, between two bounds.
struct change_interval {
  double low_ratio = 0.0;
  double high_ratio = 0.0;
};

struct comparison_row {
  std::string name{};
  std::string metric{};
  std::string unit{};
  direction better = direction::unknown;
  row_state state = row_state::inconclusive;
  std::string reason{};  ///< why this state, where the numbers do not show it
  quantity base{};       ///< the median process, in `unit`; or why there is none
  quantity head{};
  std::optional<double> change_ratio{};  ///< head ÷ base − 1 as estimated, unsigned by direction
  std::optional<change_interval> interval{};
  double interval_level_ratio = 0.0;      ///< confidence of `interval`
  std::optional<double> visible_ratio{};  ///< smallest harm seen with 80 % probability
  double margin_ratio = 0.0;              ///< a change within it is no finding
  std::string margin_source{};
  std::optional<double> p_value{};  ///< of the confirmation, adjusted for all that were tried
  std::uint64_t base_processes = 0;
  std::uint64_t head_processes = 0;
  std::uint64_t pairs = 0;  ///< that the state rests on; 0 where the sides were not paired
  bool is_exact = false;
  bool is_confirmed = false;  ///< judged on pairs that were taken after the screen
  bool is_advisory = false;   ///< from files that were not measured in pairs
  /// It looked worse in the screen, and too few fresh pairs followed to tell.
  bool is_left_unconfirmed = false;
  std::string similar_to{};  ///< of an added or removed row: perhaps the same under another name
};

/// Something that cannot have changed, and whether it moved.
struct control_line {
  std::string name{};
  std::optional<double> change_ratio{};
  std::optional<change_interval> interval{};
  std::uint64_t pairs = 0;
  bool has_moved = false;
  std::string detail{};
  std::string unjudged{};  ///< why it says neither that it moved nor that it stood still
};

struct comparison_report {
  std::vector<fact> facts{};
  std::vector<comparison_row> rows{};  ///< in the order of base, then what head adds
  std::vector<control_line> controls{};
  std::optional<coverage_table> coverage{};  ///< none: no coverage was given
  bool is_paired = false;                    ///< both sides measured in one job, in adjacent pairs
  bool is_contaminated = false;
  std::string contamination{};  ///< why nothing was found in spite of the numbers
  bool is_complete = true;
  std::string incompleteness{};
  std::vector<std::string> notes{};
  std::vector<std::string> blind_spots{};  ///< what this run cannot have seen
};

}  // namespace assay::model
