// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/step_difference.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/attribution/exact_difference.h"
#include "harness/attribution/rank_shift.h"
#include "harness/attribution/run_repeats.h"
#include "harness/attribution/step_alignment.h"
#include "harness/attribution/timed_row.h"
#include "probes/trace/bounded.h"

namespace assay::attribution {
namespace {

using model::difference_verdict;
using model::pass_line;

constexpr std::size_t steps_a_repeat = 8;
constexpr std::size_t pairs_max = 2000;
constexpr std::string_view ids_words = "the order of token ids";

// Stretches of eight steps of a request; what is left of a request joins its last one.
std::vector<std::vector<aligned_step>> repeats_of(const step_alignment& steps) {
  std::vector<std::vector<aligned_step>> out;
  for (const auto& request : steps.requests) {
    const std::size_t whole = std::max<std::size_t>(request.size() / steps_a_repeat, 1);
    for (std::size_t at = 0; at < whole; ++at) {
      const auto from = request.begin() + static_cast<std::ptrdiff_t>(at * steps_a_repeat);
      const auto to =
          at + 1 == whole ? request.end() : from + static_cast<std::ptrdiff_t>(steps_a_repeat);
      out.emplace_back(from, to);
    }
  }
  return out;
}

model::timed_difference compare(const timed_row& what,
                                const std::vector<std::vector<aligned_step>>& repeats,
                                double level_ratio) {
  model::timed_difference row;
  row.subject = what.subject;
  row.is_launch = what.is_launch;
  std::vector<std::int64_t> firsts;
  std::vector<std::int64_t> seconds;
  std::vector<std::int64_t> changes;
  for (const auto& repeat : repeats) {
    std::vector<std::int64_t> within;
    for (const auto& [one, other] : repeat) {
      firsts.push_back(what.of[0](*one));
      seconds.push_back(what.of[1](*other));
      within.push_back(trace::difference(seconds.back(), firsts.back()));
    }
    changes.push_back(middle_of(within));
  }
  row.first_ns = middle_of(firsts);
  row.second_ns = middle_of(seconds);
  row.change_ns = middle_of(changes);
  const median_interval interval = interval_of_median(changes, level_ratio);
  row.has_interval = interval.is_there;
  row.low_ns = interval.low;
  row.high_ns = interval.high;
  row.margin_ns = margin_of(row.first_ns);
  // Steps of one process lie closer together than two processes do: no more than that these two
  // differ can be said, however narrow the interval.
  if (interval.is_there && (interval.low > row.margin_ns || interval.high < -row.margin_ns))
    row.verdict = difference_verdict::apart;
  return row;
}

std::string too_few_words(const model::investigation_difference& of) {
  if (!has_repeated_runs(of))
    return fmt::format(
        "Whether any time differs: {} stretches of aligned steps are too few for an interval of {} "
        "rows",
        of.repeats, of.times.size());
  const std::size_t needed = runs_needed(of.level_ratio);
  return fmt::format(
      "Whether any time differs: {} and {} runs are too few for an interval of {} rows; {} and {} "
      "would do",
      runs_of(of, false), runs_of(of, true), of.times.size(), needed, needed);
}

void list_blind_spots(const std::vector<std::string>& varying,
                      model::investigation_difference& out) {
  auto& to = out.blind_spots;
  const bool is_short = std::any_of(out.times.begin(), out.times.end(),
                                    [](const auto& e) { return !e.has_interval; });
  if (out.aligned_steps == 0)
    to.push_back(
        "Whether any time differs: no step of one run did the work of a step of the other");
  else if (is_short)
    to.push_back(too_few_words(out));
  if (has_repeated_runs(out))
    to.push_back(
        "What the machine did between the runs of one side and those of the other: a trace does "
        "not say in which order they were made; runs of both sides by turns share it");
  else
    to.push_back(
        "Whether the programs differ in any time: each side is one run, and two runs of one "
        "program differ as well; more runs a side (--first, --second) show by how much, or assay "
        "compare");
  for (const std::string& each : varying)
    to.push_back(
        fmt::format("Whether {} differs: it is not the same in all runs of one side", each));
  const bool is_ids_varying = std::find(varying.begin(), varying.end(), ids_words) != varying.end();
  if (out.token_ids == difference_verdict::cannot_tell && !is_ids_varying)
    to.push_back("Whether both gave the same token ids: a trace does not state them");
  if (out.other_work_steps > 0)
    to.push_back(fmt::format("The time of {} steps that did other work than their counterparts",
                             out.other_work_steps));
  if (out.one_sided_steps > 0)
    to.push_back(
        fmt::format("The time of {} steps that only one of the two has", out.one_sided_steps));
  for (const auto& [name, from] :
       {std::pair{"first", &out.first}, std::pair{"second", &out.second}})
    for (const std::string& each : from->blind_spots)
      to.push_back(fmt::format("Of the {}: {}", name, each));
}

// Of equal stretches the pair that lies farthest apart, so that no difference is thinned away.
void keep_pairs(const std::vector<const pass_line*>& ones,
                const std::vector<const pass_line*>& others, std::vector<model::step_pair>& to) {
  const std::size_t stretches = std::min(ones.size(), pairs_max);
  const auto apart = [&](std::size_t at) {
    return std::abs(trace::difference(others[at]->wall_ns, ones[at]->wall_ns));
  };
  for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
    std::size_t farthest = ones.size() * stretch / stretches;
    for (std::size_t at = farthest; at < ones.size() * (stretch + 1) / stretches; ++at)
      if (apart(at) > apart(farthest)) farthest = at;
    to.push_back({ones[farthest]->wall_ns, others[farthest]->wall_ns});
  }
}

void list_runs(const std::vector<model::investigation>& side, bool is_second,
               std::vector<model::run_line>& to) {
  std::uint64_t number = 0;
  for (const model::investigation& each : side) {
    model::run_line line{is_second, ++number, model::outcome_of(each.audit), {}, 0};
    for (const model::finding& found : each.audit.findings)
      if (std::find(line.rules.begin(), line.rules.end(), found.rule) == line.rules.end())
        line.rules.push_back(found.rule);
    to.push_back(std::move(line));
  }
}

// What is not the same in all runs of a side tells nothing of the other side.
void doubt_what_varies(const std::vector<model::investigation>& side,
                       std::vector<std::string>& varying, model::investigation_difference& to) {
  for (std::size_t at = 1; at < side.size(); ++at) {
    if (ids_difference(side.front().audit, side[at].audit) == difference_verdict::differs) {
      to.token_ids = difference_verdict::cannot_tell;
      if (std::find(varying.begin(), varying.end(), ids_words) == varying.end())
        varying.emplace_back(ids_words);
    }
    for (const model::exact_difference& each : exact_differences(side.front(), side[at])) {
      if (each.verdict != difference_verdict::differs) continue;
      if (std::find(varying.begin(), varying.end(), each.subject) == varying.end())
        varying.push_back(each.subject);
      for (model::exact_difference& row : to.counts)
        if (row.subject == each.subject) row.verdict = difference_verdict::cannot_tell;
    }
  }
}

void compare_exactly(const std::vector<model::investigation>& firsts,
                     const std::vector<model::investigation>& seconds,
                     std::vector<std::string>& varying, model::investigation_difference& to) {
  const model::investigation& first = firsts.front();
  const model::investigation& second = seconds.front();
  to.counts = exact_differences(first, second);
  to.token_ids = ids_difference(first.audit, second.audit);
  to.facts = fact_differences(first.audit, second.audit);
  doubt_what_varies(firsts, varying, to);
  doubt_what_varies(seconds, varying, to);
}

void compare_times(const std::vector<model::investigation>& firsts,
                   const std::vector<model::investigation>& seconds,
                   model::investigation_difference& to) {
  const step_alignment steps = aligned(firsts.front().steps, seconds.front().steps);
  std::vector<const model::investigation*> runs;
  for (const auto* side : {&firsts, &seconds})
    for (const model::investigation& each : *side) runs.push_back(&each);
  const auto common = common_steps(runs);
  to.aligned_steps = common.front().size();
  // What the two did alike and another run did not is compared as little.
  to.other_work_steps = steps.other_work + steps.aligned - common.front().size();
  to.one_sided_steps = steps.one_sided;
  if (to.aligned_steps == 0) return;
  if (has_repeated_runs(to)) {
    compare_runs(runs, firsts.size(), common, to);
  } else {
    const auto repeats = repeats_of(steps);
    const std::vector<timed_row> rows = timed_rows(runs);
    to.repeats = repeats.size();
    to.level_ratio = 1.0 - wanted_error_ratio / static_cast<double>(rows.size());
    for (const timed_row& each : rows) to.times.push_back(compare(each, repeats, to.level_ratio));
    to.runs[0].step_ns = to.times.front().first_ns;
    to.runs[1].step_ns = to.times.front().second_ns;
  }
  keep_pairs(common.front(), common[firsts.size()], to.pairs);
}

}  // namespace

median_interval interval_of_median(std::vector<std::int64_t>& values, double level_ratio) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  median_interval out;
  // The chance that exactly k of the values lie below the median, by logarithms: 2^-10,000 is none.
  double log_chance = -count * std::log(2.0);
  double tail = std::exp(log_chance);
  for (std::size_t rank = 1; 2 * rank <= values.size(); ++rank) {
    if (1.0 - 2.0 * tail < level_ratio) break;
    out = {true, values[rank - 1], values[values.size() - rank]};
    const auto k = static_cast<double>(rank);
    log_chance += std::log((count - k + 1.0) / k);
    tail += std::exp(log_chance);
  }
  return out;
}

model::investigation_difference difference_of(std::vector<model::investigation> firsts,
                                              std::vector<model::investigation> seconds) {
  model::investigation_difference out;
  list_runs(firsts, false, out.runs);
  list_runs(seconds, true, out.runs);
  std::vector<std::string> varying;
  compare_exactly(firsts, seconds, varying, out);
  compare_times(firsts, seconds, out);
  out.first = std::move(firsts.front());
  out.second = std::move(seconds.front());
  list_blind_spots(varying, out);
  return out;
}

}  // namespace assay::attribution
