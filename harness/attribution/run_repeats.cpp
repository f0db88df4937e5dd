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
#include "harness/attribution/step_pace.h"

namespace assay::attribution {
namespace {

using model::difference_verdict;
using model::pass_line;
using model::timed_difference;

// Of a run's lengths of a launch, that which a twentieth of the steps stay below: where nothing
// else got in the way. On a machine nearly alone it scatters less between runs of one build than
// the median; on a busy one no less, and the row at the others' pace is for that
// (docs/evidence/report-power-2026-12-03.md).
constexpr std::size_t quick_divisor = 20;
// A class has some ten records in a step, each between two reads of a clock that is known to 20 to
// 40 ns. What one run's brackets do to a whole step (margin_of) is in the interval between runs.
constexpr std::int64_t runs_margin_least_ns = 500;
constexpr std::int64_t runs_margin_divisor = 50;

// A number for each run.
struct run_row {
  std::string subject;
  bool is_launch = false;
  bool is_paced = false;
  std::vector<std::int64_t> of;
};

std::int64_t quick_of(std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / quick_divisor);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::vector<run_row> numbers_of(const std::vector<timed_row>& rows,
                                const std::vector<std::vector<const pass_line*>>& steps) {
  std::vector<run_row> out;
  for (const timed_row& row : rows) {
    run_row made{row.subject, row.is_launch, false, {}};
    for (std::size_t run = 0; run < steps.size(); ++run) {
      std::vector<std::int64_t> times;
      for (const pass_line* step : steps[run]) times.push_back(row.of[run](*step));
      made.of.push_back(row.is_launch ? quick_of(times) : middle_of(times));
    }
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
  row.margin_ns = std::max(row.first_ns / runs_margin_divisor, runs_margin_least_ns);
  if (found.is_there && found.low > row.margin_ns) row.verdict = difference_verdict::larger;
  if (found.is_there && found.high < -row.margin_ns) row.verdict = difference_verdict::smaller;
  return row;
}

// Classes that took a time in half of the steps of every run.
std::vector<std::pair<std::string, launch_times>> paced_launches(
    const std::vector<timed_row>& rows, const std::vector<std::vector<const pass_line*>>& steps) {
  std::vector<std::pair<std::string, launch_times>> out;
  for (const timed_row& row : rows) {
    if (!row.is_launch) continue;
    launch_times times;
    bool is_usual = true;
    for (std::size_t run = 0; run < steps.size(); ++run) {
      auto& of = times.emplace_back();
      for (const pass_line* step : steps[run]) of.push_back(row.of[run](*step));
      std::vector<std::int64_t> sorted = of;
      is_usual = is_usual && middle_of(sorted) > 0;
    }
    if (is_usual) out.emplace_back(row.subject, std::move(times));
  }
  return out;
}

struct runs_question {
  std::size_t firsts = 0;
  const compare::rank_sum_null& null;
  double level_ratio = 0.0;
};

// The launch told apart by most of its length that was not known to have moved; none: the count.
std::size_t moved_most(const std::vector<timed_difference>& rows,
                       const std::vector<bool>& has_moved) {
  std::size_t most = rows.size();
  const auto share = [](const timed_difference& row) {
    return std::abs(static_cast<double>(row.change_ns)) /
           static_cast<double>(std::max<std::int64_t>(row.first_ns, 1));
  };
  for (std::size_t at = 0; at < rows.size(); ++at)
    if (rows[at].verdict != difference_verdict::cannot_tell && !has_moved[at] &&
        (most == rows.size() || share(rows[at]) > share(rows[most])))
      most = at;
  return most;
}

// Again without each that is told apart, until no other is.
std::vector<timed_difference> paced_rows(
    const std::vector<std::pair<std::string, launch_times>>& launches, const step_pace& pace,
    const runs_question& asked) {
  std::vector<bool> has_moved(launches.size(), false);
  for (std::size_t moved = 0;; ++moved) {
    std::vector<timed_difference> rows;
    for (std::size_t at = 0; at < launches.size(); ++at)
      rows.push_back(compared({launches[at].first, true, true, pace.numbers(at, has_moved)},
                              asked.firsts, asked.null, asked.level_ratio));
    const std::size_t next = moved_most(rows, has_moved);
    if (next == rows.size() || !pace.has_pace(moved + 1)) return rows;
    has_moved[next] = true;
  }
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
  const std::vector<timed_row> subjects = timed_rows(runs);
  const std::vector<run_row> rows = numbers_of(subjects, steps);
  for (std::size_t run = 0; run < runs.size(); ++run) to.runs[run].step_ns = rows.front().of[run];
  const auto launches = paced_launches(subjects, steps);
  std::vector<launch_times> times;
  for (const auto& [subject, of] : launches) times.push_back(of);
  const step_pace pace(times, firsts);
  const std::size_t paced = pace.has_pace(0) ? launches.size() : 0;
  to.level_ratio = 1.0 - wanted_error_ratio / static_cast<double>(rows.size() + paced);
  const compare::rank_sum_null null = shift_null(firsts, runs.size() - firsts);
  for (const run_row& each : rows) to.times.push_back(compared(each, firsts, null, to.level_ratio));
  if (paced == 0) return;
  for (timed_difference& each : paced_rows(launches, pace, {firsts, null, to.level_ratio}))
    to.times.push_back(std::move(each));
}

}  // namespace assay::attribution
