// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/run_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/paired_comparison.h"
#include "harness/compare/paired_rows.h"

namespace assay::compare {
namespace {

std::string seconds(std::int64_t ns) {
  return fmt::format("{:.3f} s", static_cast<double>(ns) * 1e-9);
}

// Which row took most of the time: where a budget is short it is the first to be left out. The two
// of a pair that took turns ran at once, and their time counts once.
std::string dearest_row(const run_log& log) {
  std::vector<std::int64_t> cost_ns(log.subjects.size(), 0);
  for (const process_record& record : log.records) {
    const run_subject& subject = log.subjects[record.place.subject];
    if (!subject.is_control)
      cost_ns[record.place.subject] += subject.is_sliced ? record.wall_ns / 2 : record.wall_ns;
  }
  const auto most = std::max_element(cost_ns.begin(), cost_ns.end());
  if (most == cost_ns.end() || *most == 0) return {};
  return fmt::format("{} for {}", seconds(*most),
                     log.subjects[static_cast<std::size_t>(most - cost_ns.begin())].name);
}

// What the kernel said of the processes: a reader should see a machine that was held back.
void add_conditions(const run_log& log, model::comparison_report& report) {
  std::int64_t wall_ns = 0;
  std::int64_t steal_ns = 0;
  std::int64_t throttled_ns = 0;
  std::size_t with_steal = 0;
  std::size_t with_throttling = 0;
  double most_load = 0.0;
  for (const process_record& record : log.records) {
    wall_ns += record.wall_ns;
    with_steal += record.steal_ns.has_value();
    with_throttling += record.throttled_ns.has_value();
    steal_ns += record.steal_ns.value_or(0);
    throttled_ns += record.throttled_ns.value_or(0);
    most_load = std::max(most_load, record.load_average.value_or(0.0));
  }
  const auto add = [&](const char* name, std::string value) {
    report.facts.push_back({name, std::move(value)});
  };
  add("processes", fmt::format("{}", log.records.size()));
  add("time in processes", seconds(wall_ns));
  if (std::string dearest = dearest_row(log); !dearest.empty())
    add("dearest row", std::move(dearest));
  add("stolen by the hypervisor meanwhile",
      with_steal == 0 ? std::string("unknown: no steal account on this machine")
                      : seconds(steal_ns));
  add("held back by the control group meanwhile",
      with_throttling == 0 ? std::string("unknown: no cpu.stat on this machine")
                           : seconds(throttled_ns));
  add("highest load average", fmt::format("{:.2f}", most_load));
}

// Of a log that says what was watched; of shards each says it for itself.
void add_unwatched(const run_log& log, model::comparison_report& report) {
  const bool is_said = std::any_of(log.facts.begin(), log.facts.end(), [](const auto& fact) {
    return fact.name.starts_with(watched_name);
  });
  if (is_said)
    report.blind_spots.push_back(
        fmt::format("a program or library that was replaced meanwhile and is not among those {}: "
                    "the system's, what a program opens itself (dlopen), what a script starts",
                    watched_name));
}

}  // namespace

model::comparison_report report_of(const run_log& log) {
  model::comparison_report report = judge_pairs(paired_rows(log), log.rules);
  report.facts.insert(report.facts.end(), log.facts.begin(), log.facts.end());
  report.facts.push_back({"seed", fmt::format("{}", log.rules.seed)});
  add_conditions(log, report);
  add_unwatched(log, report);
  if (!log.is_complete) {
    report.is_complete = false;
    report.incompleteness = log.incompleteness;
  }
  return report;
}

}  // namespace assay::compare
