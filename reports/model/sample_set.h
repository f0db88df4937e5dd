// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What one side of a comparison measured, whichever tool wrote it. harness/ingest reads it,
// harness/compare judges it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/audit_report.h"

namespace assay::model {

/// Which way a metric improves.
enum class direction : std::uint8_t { unknown, lower_is_better, higher_is_better };

constexpr std::string_view to_string(direction d) {
  switch (d) {
    case direction::unknown:
      return "unknown";
    case direction::lower_is_better:
      return "lower is better";
    case direction::higher_is_better:
      return "higher is better";
  }
  return "?";
}

/// One benchmark by one metric. Its identity is `name` and `metric`.
/// Units: `unit` is a base unit (ns, bytes, bytes_per_s, items_per_s, count, …) or, where it is
/// not one of ours, what the file said.
struct sample_row {
  std::string name{};
  std::string metric{};  ///< real_time, primaryMetric, …
  std::string unit{};
  direction better = direction::unknown;
  bool is_exact = false;  ///< a count that two runs must agree on to the last digit
  /// One number a process: iterations of one process are no independent samples. Finite; above 0
  /// where the unit is a time or a rate.
  std::vector<double> process_values{};
  std::uint64_t iteration_count = 0;  ///< measurements that were folded into these
  /// Of what the number is, where a format has several: the least of samples on one side against
  /// the mean of a summary on the other reads as a change. Empty where a format has one only.
  std::string statistic{};
  std::string failure{};     ///< why there is no number; empty where there is one
  std::vector<fact> kept{};  ///< fields that no reader knows: name, and value as JSON text
};

/// The rows of one side.
struct sample_set {
  std::string source{};             ///< the file or folder
  std::string format{};             ///< "Google Benchmark JSON"
  std::vector<fact> environment{};  ///< facts that must be equal on both sides to compare times
  std::vector<fact> facts{};        ///< facts that are printed and may differ
  std::vector<sample_row> rows{};
  std::vector<std::string> notes{};     ///< what was read and not compared, with its count
  std::uint64_t ignored_row_count = 0;  ///< aggregates and fits: derived from rows that are here
};

}  // namespace assay::model
