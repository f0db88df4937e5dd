// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What is promised against what is published: undeclared, never written, never moved.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/pattern.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using model::metric_kind;
using model::severity;

// More series of one metric than a scrape a second can carry; a label that holds an id does it.
constexpr std::size_t most_series = 10000;

using promise_map = std::unordered_map<std::string_view, const model::promised_metric*>;

promise_map promises_of(const model::guard_contract& contract) {
  promise_map all;
  for (const auto& metric : contract.metrics) all.emplace(metric.name, &metric);
  return all;
}

// A histogram publishes by three names, and OpenMetrics says of a counter when it began.
bool is_promised(std::string_view name, const promise_map& promised) {
  if (promised.count(name) != 0) return true;
  const std::string_view base = without_suffix(name);
  if (base == name) return false;
  if (const auto found = promised.find(base); found != promised.end()) {
    const metric_kind kind = found->second->kind;
    return kind == metric_kind::histogram || kind == metric_kind::summary ||
           name.ends_with("_created");
  }
  return name.ends_with("_created") && promised.count(std::string(base) + "_total") != 0;
}

bool is_ignored(std::string_view name, const model::guard_contract& contract) {
  return std::any_of(contract.ignored.begin(), contract.ignored.end(),
                     [&](const model::allowance& each) { return fits(each.pattern, name); });
}

double sum_of(const series_index::sample_list& samples) {
  double sum = 0.0;
  for (const auto* sample : samples) sum += sample->value;
  return sum;
}

// Whether any of its series differs between two snapshots; a series that came is a move.
bool has_moved(const model::promised_metric& metric, const subject& of) {
  std::unordered_map<std::string_view, double> first;
  for (const auto* sample : of.snapshots.front().amounts(metric))
    first.emplace(sample->labels, sample->value);
  for (std::size_t at = 1; at < of.snapshots.size(); ++at)
    for (const auto* sample : of.snapshots[at].amounts(metric)) {
      const auto found = first.find(sample->labels);
      if (found == first.end() ? sample->value != 0 : sample->value != found->second) return true;
    }
  return false;
}

std::string place_in(const series_index& in, const series_index::sample_list& samples) {
  return place_of(in.from().source, samples.empty() ? 0 : samples.front()->line);
}

}  // namespace

void check_input(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  for (const auto& snapshot : of.snapshots) {
    const model::exposition& from = snapshot.from();
    log.looked(from.line_count);
    for (const auto& problem : from.problems)
      log.find(problem.is_skipped ? severity::error : severity::warning, "",
               fmt::format("line {}", problem.line),
               fmt::format("line {} {}{}", problem.line, problem.what,
                           problem.is_skipped ? "; it was skipped" : ""),
               place_of(from.source, problem.line));
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

void check_undeclared(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  const promise_map promised = promises_of(*of.contract);
  std::unordered_set<std::string_view> seen;
  for (const auto& snapshot : of.snapshots)
    for (const auto& sample : snapshot.from().samples) {
      if (is_promised(sample.name, promised) || is_ignored(sample.name, *of.contract)) {
        log.looked();
        continue;
      }
      const auto* family = snapshot.family(sample.name);
      const std::string_view subject = family != nullptr ? family->name : sample.name;
      if (!seen.insert(subject).second) continue;
      log.looked();
      log.find(severity::error, "R26", subject,
               fmt::format("{} is published and not in the contract", subject),
               place_of(snapshot.from().source, sample.line));
    }
}

void check_never_written(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  for (const auto& metric : of.contract->metrics) {
    if (metric.is_optional) continue;
    log.looked();
    const bool is_there = std::any_of(of.snapshots.begin(), of.snapshots.end(),
                                      [&](const series_index& s) { return s.has(metric); });
    if (is_there) continue;
    const bool is_declared =
        std::any_of(of.snapshots.begin(), of.snapshots.end(), [&](const series_index& s) {
          return s.family(metric.name) != nullptr && s.family(metric.name)->line > 0;
        });
    log.find(severity::error, "R25", metric.name,
             fmt::format(
                 "{} is promised and {}", metric.name,
                 is_declared ? "declared, and no sample of it was ever written" : "in no snapshot"),
             place_of(of.contract->source, metric.line));
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
    if (sum != 0 && has_moved(metric, of)) continue;
    if (of.snapshots.size() > 1 && has_moved(metric, of)) continue;
    log.find(severity::error, "R13", metric.name,
             fmt::format("{} stands at {} {}, and the load moves it", metric.name, sum,
                         of.snapshots.size() == 1
                             ? std::string("since the start")
                             : fmt::format("in all of {} snapshots", of.snapshots.size())),
             where);
  }
}

}  // namespace assay::guard
