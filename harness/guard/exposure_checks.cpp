// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What can be read of the metrics, and what stands still.
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/figure.h"
#include "harness/guard/sample_names.h"

namespace assay::guard {
namespace {

using model::severity;

// More series of one metric than a scrape a second can carry; a label that holds an id does it.
constexpr std::size_t most_series = 10000;

double sum_of(const series_index::sample_list& samples) {
  double sum = 0.0;
  for (const auto* sample : samples) sum += sample->value;
  return sum;
}

// Whether one of its series moved from one snapshot to the next. A counter that falls to 0 was
// reset, and a reset is no work of the load; one that falls to more has grown again since, and the
// check of its kind says what it thinks of that. A series that came with a value is a move.
bool has_moved(const model::promised_metric& metric, const subject& of) {
  const bool can_fall = !is_cumulative(metric.kind);
  std::unordered_map<std::string_view, double> last;
  for (const auto* sample : of.snapshots.front().amounts(metric))
    last.emplace(sample->labels, sample->value);
  for (std::size_t at = 1; at < of.snapshots.size(); ++at)
    for (const auto* sample : of.snapshots[at].amounts(metric)) {
      const auto [found, is_new] = last.try_emplace(sample->labels, 0.0);
      const double before = std::exchange(found->second, sample->value);
      const bool has_fallen = sample->value < before && (can_fall || sample->value != 0);
      if (sample->value > before || has_fallen) return true;
    }
  return false;
}

std::string place_in(const series_index& in, const series_index::sample_list& samples) {
  return place_of(in.from().source, samples.empty() ? 0 : samples.front()->line);
}

// A page of HTML has a complaint for each of its lines: after the first of them only their number
// says more. All are counted, and a thousand listed, as skipped.
constexpr std::size_t most_told_a_file = 20;

class input_teller {
 public:
  explicit input_teller(check_log& log) : log_(log) {}

  void tell(const model::exposition_problem& problem, const model::exposition& from) {
    const bool is_error = problem.is_skipped || problem.is_loss;
    std::string key(std::string_view(from.source).substr(0, from.source.rfind(" (snapshot ")));
    std::unordered_set<std::string>& told = told_[fmt::format("{}\n{}", key, is_error)];
    // The key that is null in each line of a file is one finding of it.
    key += '\n';
    key += told.size() < most_told_a_file || problem.is_loss || told.count(problem.what) != 0
               ? problem.what
               : std::string(is_error ? "more errors" : "more warnings");
    if (told.size() < most_told_a_file) told.insert(problem.what);
    const std::string_view ending = problem.lines > 1    ? "; they were skipped"
                                    : problem.is_skipped ? "; it was skipped"
                                    : problem.is_part    ? "; the value was skipped"
                                                         : "";
    log_.find_first_of(std::move(key), is_error ? severity::error : severity::warning,
                       fmt::format("line {}", problem.line),
                       fmt::format("line {} {}{}", problem.line, problem.what, ending),
                       place_of(from.source, problem.line));
  }

 private:
  check_log& log_;
  std::unordered_map<std::string, std::unordered_set<std::string>> told_;  // by file
};

}  // namespace

void check_input(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  input_teller teller(log);
  for (const auto& snapshot : of.snapshots) {
    const model::exposition& from = snapshot.from();
    log.looked(from.line_count);
    for (const auto& problem : from.problems) teller.tell(problem, from);
    std::unordered_map<std::string_view, std::size_t> series;
    for (const auto& sample : from.samples)
      if (++series[sample.name] == most_series + 1)
        log.find(severity::warning, "", sample.name,
                 fmt::format("{} has more than {} series: a label holds something that never "
                             "comes again",
                             sample.name, most_series),
                 place_of(from.source, sample.line));
  }
}

void check_never_moved(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  const series_index& last = of.snapshots.back();
  for (const auto& metric : of.contract->metrics) {
    if (!metric.is_exercised || !last.has(metric)) continue;
    const std::string where = place_in(last, last.amounts(metric));
    const double sum = sum_of(last.amounts(metric));
    if (of.snapshots.size() == 1 && sum != 0) {
      log.absent("there is one snapshot");
      log.cannot_judge(where, fmt::format("whether {} moves: there is one snapshot", metric.name));
      continue;
    }
    log.looked();
    if (of.snapshots.size() > 1 && has_moved(metric, of)) continue;
    log.find(severity::error, "R13", metric.name,
             fmt::format("{} stands at {} {}, and the load moves it", metric.name, figure(sum),
                         of.snapshots.size() == 1
                             ? std::string("since the start")
                             : fmt::format("in all of {} snapshots", of.snapshots.size())),
             where);
  }
}

}  // namespace assay::guard
