// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Two investigations side by side, as plain structs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/investigation.h"
#include "reports/model/outcome.h"

namespace assay::model {

enum class difference_verdict : std::uint8_t {
  same,         ///< of a count: equal to the last unit
  differs,      ///< of a count: not equal, or one side has none
  smaller,      ///< of a time: the interval over runs lies below the margin's negative
  larger,       ///< of a time: the interval over runs lies above the margin
  apart,        ///< of a time of one run a side: beyond the margin, which any two runs may be
  cannot_tell,  ///< no difference that this data can show
};

constexpr std::string_view to_string(difference_verdict verdict) {
  switch (verdict) {
    case difference_verdict::same:
      return "same";
    case difference_verdict::differs:
      return "differs";
    case difference_verdict::smaller:
      return "smaller";
    case difference_verdict::larger:
      return "larger";
    case difference_verdict::apart:
      return "these two runs differ";
    case difference_verdict::cannot_tell:
      return "no difference that this data can show";
  }
  return "?";
}

/// An amount that admits no noise.
struct exact_difference {
  std::string subject;
  std::string unit;
  quantity first;
  quantity second;
  difference_verdict verdict = difference_verdict::differs;
};

/// A time of a decode step, over the steps that both did.
struct timed_difference {
  std::string subject;
  bool is_launch = false;  ///< a class of launches, by the length of its records; else a part
  /// At the pace of the run's other launches: what made the whole process slow is taken out.
  bool is_paced = false;
  std::int64_t first_ns = 0;   ///< of the median step; of several runs in the middle
  std::int64_t second_ns = 0;  ///< likewise
  /// One run a side: median over stretches of the median change of their steps. Several: the shift
  /// between the runs of both sides, a run its median step.
  std::int64_t change_ns = 0;
  bool has_interval = false;
  std::int64_t low_ns = 0;  ///< of the change, at level_ratio or more
  std::int64_t high_ns = 0;
  std::int64_t margin_ns = 0;  ///< a change within it is none: times are not known finer
  difference_verdict verdict = difference_verdict::cannot_tell;
};

/// A fact of the run that the two state differently.
struct fact_difference {
  std::string name;
  std::string first;  ///< empty where it states none
  std::string second;
};

/// One aligned step: walls of both.
struct step_pair {
  std::int64_t first_wall_ns = 0;
  std::int64_t second_wall_ns = 0;
};

/// One run of a side.
struct run_line {
  bool is_second = false;
  std::uint64_t number = 1;  ///< within its side
  outcome audit = outcome::clean;
  std::vector<std::string> rules;  ///< that found something
  std::int64_t step_ns = 0;        ///< median of the steps that all runs did
};

struct investigation_difference {
  investigation first;         ///< the first run of its side
  investigation second;        ///< likewise
  std::vector<run_line> runs;  ///< of the first side, then of the second
  std::uint64_t aligned_steps = 0;
  std::uint64_t other_work_steps = 0;  ///< in the same place, but not the same work
  std::uint64_t one_sided_steps = 0;
  /// Of one run a side, stretches of aligned steps: each gives one change. Of several 0: there a
  /// run is a repeat.
  std::uint64_t repeats = 0;
  double level_ratio = 0.0;  ///< confidence of each interval, so that all together have 95 %
  difference_verdict token_ids = difference_verdict::cannot_tell;
  std::vector<exact_difference> counts;
  std::vector<timed_difference> times;  ///< the step as a whole, its parts, its launches
  std::vector<fact_difference> facts;
  std::vector<step_pair> pairs;  ///< in the first trace's order; of very many, extremes kept
  std::vector<std::string> blind_spots;
};

inline std::uint64_t runs_of(const investigation_difference& report, bool is_second) {
  return static_cast<std::uint64_t>(
      std::count_if(report.runs.begin(), report.runs.end(),
                    [&](const run_line& each) { return each.is_second == is_second; }));
}

/// Whether a side has another run to show how runs of one program differ.
inline bool has_repeated_runs(const investigation_difference& report) {
  return report.runs.size() > 2;
}

/// Of all outcomes of audits the one whose exit code goes first; not comparable where no step is
/// aligned. That the two differ is no failure: which of them is right is not for a report to say.
inline outcome outcome_of(const investigation_difference& report) {
  if (report.aligned_steps == 0) return outcome::not_comparable;
  for (const outcome each : {outcome::could_not_measure, outcome::found, outcome::undecided})
    if (std::any_of(report.runs.begin(), report.runs.end(),
                    [&](const run_line& run) { return run.audit == each; }))
      return each;
  return outcome::clean;
}

}  // namespace assay::model
