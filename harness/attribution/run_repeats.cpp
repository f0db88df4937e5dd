// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/run_repeats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "harness/attribution/rank_shift.h"
#include "harness/attribution/step_alignment.h"
#include "harness/compare/median.h"

namespace assay::attribution {
namespace {

using model::difference_verdict;
using model::pass_line;
using model::timed_difference;

// The middle of two others moves with either of them.
constexpr std::size_t paced_by_min = 3;
constexpr double least_pace_apart = 1e-3;  // nearer ones have slopes of noise alone
constexpr double slope_max = 4.0;

// A number for each run.
struct run_row {
  std::string subject;
  bool is_launch = false;
  bool is_paced = false;
  std::vector<std::int64_t> of;
};

std::vector<run_row> medians_of(const std::vector<timed_row>& rows,
                                const std::vector<std::vector<const pass_line*>>& steps) {
  std::vector<run_row> out;
  for (const timed_row& row : rows) {
    run_row made{row.subject, row.is_launch, false, {}};
    for (std::size_t run = 0; run < steps.size(); ++run) {
      std::vector<std::int64_t> times;
      for (const pass_line* step : steps[run]) times.push_back(row.of[run](*step));
      made.of.push_back(middle_of(times));
    }
    out.push_back(std::move(made));
  }
  return out;
}

// How slow each run was at a launch, as a logarithm, against the middle of all runs.
std::vector<double> slowness_of(const run_row& launch) {
  std::vector<double> logs;
  for (const std::int64_t ns : launch.of) logs.push_back(std::log(static_cast<double>(ns)));
  const double middle = compare::median_of(logs);
  for (double& each : logs) each -= middle;
  return logs;
}

// By how much a launch follows the pace of the others: one that runs on a single thread gains
// nothing where the others got a second core. The median of the slopes between runs of one side,
// each weighted by how far their paces are apart (Theil and Sen): a difference between the sides is
// in none of them.
double slope_of(const std::vector<double>& slowness, const std::vector<double>& pace,
                std::size_t firsts) {
  std::vector<std::pair<double, double>> slopes;  // and their weights
  double all = 0.0;
  for (std::size_t one = 0; one < pace.size(); ++one)
    for (std::size_t other = one + 1; other < pace.size(); ++other) {
      const double apart = pace[other] - pace[one];
      if ((one < firsts) != (other < firsts) || std::abs(apart) < least_pace_apart) continue;
      slopes.emplace_back((slowness[other] - slowness[one]) / apart, std::abs(apart));
      all += std::abs(apart);
    }
  std::sort(slopes.begin(), slopes.end());
  double below = 0.0;
  for (const auto& [slope, weight] : slopes)
    if ((below += weight) >= all / 2.0) return std::clamp(slope, 0.0, slope_max);
  return 1.0;
}

// A process that got a slow core, or a busy machine, is slow in all that it does. The middle of the
// others is not moved by a single launch that became slower.
std::vector<run_row> paced_rows(const std::vector<run_row>& rows, std::size_t firsts) {
  std::vector<const run_row*> launches;
  for (const run_row& each : rows)
    if (each.is_launch &&
        std::all_of(each.of.begin(), each.of.end(), [](std::int64_t ns) { return ns > 0; }))
      launches.push_back(&each);
  std::vector<run_row> out;
  if (launches.size() <= paced_by_min) return out;
  std::vector<std::vector<double>> slowness;
  for (const run_row* each : launches) slowness.push_back(slowness_of(*each));
  for (std::size_t at = 0; at < launches.size(); ++at) {
    run_row made{launches[at]->subject, true, true, {}};
    std::vector<double> pace;
    for (std::size_t run = 0; run < launches[at]->of.size(); ++run) {
      std::vector<double> others;
      for (std::size_t other = 0; other < launches.size(); ++other)
        if (other != at) others.push_back(slowness[other][run]);
      pace.push_back(compare::median_of(std::move(others)));
    }
    const double slope = slope_of(slowness[at], pace, firsts);
    for (std::size_t run = 0; run < pace.size(); ++run)
      made.of.push_back(
          std::llround(static_cast<double>(launches[at]->of[run]) * std::exp(-slope * pace[run])));
    out.push_back(std::move(made));
  }
  return out;
}

timed_difference compared(const run_row& what, std::size_t firsts,
                          const compare::rank_sum_null& null, double level_ratio) {
  const auto border = what.of.begin() + static_cast<std::ptrdiff_t>(firsts);
  std::vector<std::int64_t> first(what.of.begin(), border);
  std::vector<std::int64_t> second(border, what.of.end());
  const shift_estimate found = shift_between(first, second, null, level_ratio);
  timed_difference row;
  row.subject = what.subject;
  row.is_launch = what.is_launch;
  row.is_paced = what.is_paced;
  row.first_ns = middle_of(first);
  row.second_ns = middle_of(second);
  row.change_ns = found.shift;
  row.has_interval = found.is_there;
  row.low_ns = found.low;
  row.high_ns = found.high;
  row.margin_ns = margin_of(row.first_ns);
  if (found.is_there && found.low > row.margin_ns) row.verdict = difference_verdict::larger;
  if (found.is_there && found.high < -row.margin_ns) row.verdict = difference_verdict::smaller;
  return row;
}

}  // namespace

std::vector<std::vector<const pass_line*>> common_steps(
    const std::vector<const model::investigation*>& runs) {
  std::vector<std::map<const pass_line*, const pass_line*>> partners;
  for (std::size_t run = 1; run < runs.size(); ++run) {
    auto& into = partners.emplace_back();
    for (const auto& request : aligned(runs.front()->steps, runs[run]->steps).requests)
      for (const auto& [one, other] : request) into.emplace(one, other);
  }
  std::vector<std::vector<const pass_line*>> out(runs.size());
  for (const pass_line& step : runs.front()->steps) {
    const bool is_in_all = std::all_of(partners.begin(), partners.end(), [&](const auto& each) {
      return each.find(&step) != each.end();
    });
    if (!is_in_all) continue;
    out.front().push_back(&step);
    for (std::size_t run = 1; run < runs.size(); ++run)
      out[run].push_back(partners[run - 1].at(&step));
  }
  return out;
}

void compare_runs(const std::vector<const model::investigation*>& runs, std::size_t firsts,
                  const std::vector<std::vector<const pass_line*>>& steps,
                  model::investigation_difference& to) {
  std::vector<run_row> rows = medians_of(timed_rows(runs), steps);
  for (std::size_t run = 0; run < runs.size(); ++run) to.runs[run].step_ns = rows.front().of[run];
  std::vector<run_row> paced = paced_rows(rows, firsts);
  std::move(paced.begin(), paced.end(), std::back_inserter(rows));
  to.level_ratio = 1.0 - wanted_error_ratio / static_cast<double>(rows.size());
  const compare::rank_sum_null null = shift_null(firsts, runs.size() - firsts);
  for (const run_row& each : rows) to.times.push_back(compared(each, firsts, null, to.level_ratio));
}

}  // namespace assay::attribution
