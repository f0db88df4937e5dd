// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What two equal builds differ by on one class of machine, learned from runs that compared them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/run_record.h"
#include "runtime/telemetry/result.h"

namespace assay::compare {

/// The floor of one row: with the probability of floor_level a comparison of builds that are linked
/// alike stays within it, and all that the calibration's links move the row by lies within it.
struct row_floor {
  std::string name;
  double floor_ratio = 0.0;
  double link_spread_ratio = 0.0;  ///< how far the furthest two links lie apart; 0: none moves it
  bool is_spread_of_family = false;
  std::uint64_t result_count = 0;  ///< disjoint comparisons that it rests on
  bool is_of_family = false;       ///< too few of its own: pooled with the rows of its family
};

struct calibration {
  std::string processor;
  std::string cores;
  std::size_t pairs_a_result = 0;
  std::size_t links = 0;                ///< heads that differ, beside the plain link
  std::vector<model::fact> provenance;  ///< whose logs these are; a fact's values, each once
  std::map<std::string, std::size_t> own_results;  ///< by row, also of those that have too few
  std::vector<row_floor> rows;                     ///< by name
  std::vector<std::string> uncalibrated;  ///< rows with too few results, even in their family
};

inline constexpr std::size_t fewest_results = 40;
inline constexpr double floor_level = 0.95;

/// Cuts the pairs of every row of the logs, in order and without overlap, into comparisons of
/// `pairs_a_result`. What they scatter by is the conformal quantile of their distances from their
/// link's mean: the ⌈.95 (k + 1)⌉-th of k. Rows with fewer than `fewest_results` take the distances
/// of their family, the name up to the first slash. That is the floor of a row that no link moves;
/// of one that a link moves it is its link spread, never averaged with what other links, or other
/// rows, do. Where links move more than half of a family's rows its code is what moves, and each of
/// its rows has the largest of their spreads: the next link moves another of them furthest.
/// Links are told apart by the head's code, or bytes. Logs of several machines are refused. Pure.
/// Errors: unusable_input, naming what is wrong with which log.
result<calibration> calibrate(const std::vector<run_log>& logs, std::size_t pairs_a_result);

/// The k-th smallest that bounds a further value with a probability of `level`; none where there
/// are too few values.
std::optional<double> conformal_bound(std::vector<double> values, double level);

/// As a file, and back. Errors: unusable_input, naming `file`, the place and the reason.
std::string calibration_as_json(const calibration& floors);
result<calibration> parse_calibration(std::string_view text, std::string_view file);

}  // namespace assay::compare
