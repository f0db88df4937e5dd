// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/step_difference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/attribution/exact_difference.h"
#include "harness/attribution/step_alignment.h"
#include "probes/trace/bounded.h"

namespace assay::attribution {
namespace {

using model::difference_verdict;
using model::pass_line;

constexpr double wanted_error_ratio = 0.05;  // of all rows together
// As the audit judges times: to 2 % or 2 us, no finer. Against 0 every two processes differ.
constexpr std::int64_t margin_least_ns = 2'000;
constexpr std::int64_t margin_divisor = 50;
constexpr std::size_t steps_a_repeat = 8;
constexpr std::size_t pairs_max = 2000;

// One time of a step, in either trace.
struct timed_row {
  std::string subject;
  bool is_launch = false;
  std::function<std::int64_t(const pass_line&)> of_first;
  std::function<std::int64_t(const pass_line&)> of_second;
};

timed_row same_on_both(std::string subject, std::function<std::int64_t(const pass_line&)> of) {
  return {std::move(subject), false, of, of};
}

std::int64_t busy_of(const pass_line& step, std::size_t which) {
  return which < step.launch_busy_ns.size() ? step.launch_busy_ns[which] : 0;
}

bool is_in_steps(const model::investigation& of, std::size_t which) {
  return std::any_of(of.steps.begin(), of.steps.end(),
                     [&](const pass_line& step) { return busy_of(step, which) > 0; });
}

// Launches that decode steps of both have, and whose class is one: what is left over is no
// operator.
void add_launches(const model::investigation_difference& from, std::vector<timed_row>& to) {
  const auto& ones = from.first.launch_classes;
  const auto& others = from.second.launch_classes;
  for (std::size_t one = 0; one < ones.size(); ++one) {
    const auto found = std::find(others.begin(), others.end(), ones[one]);
    if (found == others.end() || ones[one].is_rest) continue;
    const auto other = static_cast<std::size_t>(found - others.begin());
    if (!is_in_steps(from.first, one) || !is_in_steps(from.second, other)) continue;
    to.push_back({launch_name(ones[one]), true,
                  [one](const pass_line& step) { return busy_of(step, one); },
                  [other](const pass_line& step) { return busy_of(step, other); }});
  }
}

std::vector<timed_row> rows_of(const model::investigation_difference& from) {
  std::vector<timed_row> out;
  out.push_back(same_on_both("step", [](const pass_line& step) { return step.wall_ns; }));
  for (std::size_t at = 0; at < model::time_part_count; ++at)
    out.push_back(same_on_both(std::string(to_string(static_cast<model::time_part>(at))),
                               [at](const pass_line& step) { return step.parts[at]; }));
  out.push_back(same_on_both("residual", [](const pass_line& step) { return step.residual_ns; }));
  add_launches(from, out);
  return out;
}

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
      firsts.push_back(what.of_first(*one));
      seconds.push_back(what.of_second(*other));
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
  row.margin_ns = std::max(row.first_ns / margin_divisor, margin_least_ns);
  if (interval.is_there && interval.low > row.margin_ns) row.verdict = difference_verdict::larger;
  if (interval.is_there && interval.high < -row.margin_ns)
    row.verdict = difference_verdict::smaller;
  return row;
}

void list_blind_spots(model::investigation_difference& out) {
  auto& to = out.blind_spots;
  const bool is_short = std::any_of(out.times.begin(), out.times.end(),
                                    [](const auto& e) { return !e.has_interval; });
  if (out.aligned_steps == 0)
    to.push_back(
        "Whether any time differs: no step of one run did the work of a step of the other");
  else if (is_short)
    to.push_back(
        fmt::format("Whether any time differs: {} stretches of aligned steps are too few "
                    "for an interval of {} rows",
                    out.repeats, out.times.size()));
  to.push_back(
      "Whether the change or the machine made a difference of times: each side is one process, and "
      "two runs of one program differ as well; assay compare measures that in pairs");
  if (out.token_ids == difference_verdict::cannot_tell)
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
void keep_pairs(const step_alignment& steps, std::vector<model::step_pair>& to) {
  std::vector<model::step_pair> all;
  for (const auto& request : steps.requests)
    for (const auto& [one, other] : request) all.push_back({one->wall_ns, other->wall_ns});
  const std::size_t stretches = std::min(all.size(), pairs_max);
  const auto apart = [](const model::step_pair& each) {
    return std::abs(trace::difference(each.second_wall_ns, each.first_wall_ns));
  };
  for (std::size_t at = 0; at < stretches; ++at)
    to.push_back(*std::max_element(
        all.begin() + static_cast<std::ptrdiff_t>(all.size() * at / stretches),
        all.begin() + static_cast<std::ptrdiff_t>(all.size() * (at + 1) / stretches),
        [&](const auto& a, const auto& b) { return apart(a) < apart(b); }));
}

}  // namespace

std::int64_t middle_of(std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return std::midpoint(values[(values.size() - 1) / 2], values[values.size() / 2]);
}

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

model::investigation_difference difference_of(model::investigation first,
                                              model::investigation second) {
  model::investigation_difference out;
  out.first = std::move(first);
  out.second = std::move(second);
  const step_alignment steps = aligned(out.first.steps, out.second.steps);
  out.aligned_steps = steps.aligned;
  out.other_work_steps = steps.other_work;
  out.one_sided_steps = steps.one_sided;
  out.counts = exact_differences(out.first, out.second);
  out.token_ids = ids_difference(out.first.audit, out.second.audit);
  out.facts = fact_differences(out.first.audit, out.second.audit);
  if (steps.aligned > 0) {
    const auto repeats = repeats_of(steps);
    const std::vector<timed_row> rows = rows_of(out);
    out.repeats = repeats.size();
    out.level_ratio = 1.0 - wanted_error_ratio / static_cast<double>(rows.size());
    for (const timed_row& each : rows) out.times.push_back(compare(each, repeats, out.level_ratio));
    keep_pairs(steps, out.pairs);
  }
  list_blind_spots(out);
  return out;
}

}  // namespace assay::attribution
