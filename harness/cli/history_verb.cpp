// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay history: what was kept of results, and where they changed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "harness/cli/output_file.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "harness/history/change_points.h"
#include "harness/history/entry_json.h"
#include "harness/history/store.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/quantity_words.h"

namespace assay::cli {
namespace {

constexpr std::size_t key_digits = 12;

struct history_verb_flags {
  std::string where;
  std::int64_t limit = 50;
};

std::string calendar_words(std::int64_t at_ns) {
  const std::chrono::system_clock::time_point at{
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::nanoseconds(at_ns))};
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(at)));
}

std::string commit_words(const std::string& commit) {
  return commit.empty() ? "(no commit)" : reports::one_line(commit.substr(0, key_digits));
}

result<exit_code> list(const history_verb_flags& flags) {
  ASSAY_TRY_ASSIGN(const auto kept, history::open_to_read(flags.where));
  ASSAY_TRY_ASSIGN(const auto entries, history::list(*kept, flags.limit));
  std::string text;
  for (const history::listed_entry& each : entries)
    text +=
        fmt::format("{}  {:<{}}  {:<7}  {:<17}  {:>6} values  {}\n",
                    calendar_words(each.recorded_at_ns), commit_words(each.commit), key_digits,
                    each.verb, each.outcome, each.measures_count, each.key.substr(0, key_digits));
  ASSAY_TRY(write_to_stdout(text));
  return exit_code::clean;
}

result<exit_code> export_all(const history_verb_flags& flags) {
  ASSAY_TRY_ASSIGN(const auto kept, history::open_to_read(flags.where));
  ASSAY_TRY_ASSIGN(const auto entries,
                   history::list(*kept, std::numeric_limits<std::int64_t>::max()));
  for (const history::listed_entry& each : entries) {
    ASSAY_TRY_ASSIGN(const auto found, history::find(*kept, each.key));
    if (found) ASSAY_TRY(write_to_stdout(history::as_json_line(*found)));
  }
  return exit_code::clean;
}

std::string value_words(double value, const std::string& unit) {
  model::quantity quantity;
  quantity.is_present = true;
  quantity.is_real = true;
  quantity.real = value;
  return reports::quantity_words(quantity, unit, "");
}

std::string change_words(const history::series& of, const history::change_point& at) {
  const std::string name = of.metric.empty() ? of.name : fmt::format("{} ({})", of.name, of.metric);
  const std::string share = at.before != 0.0
                                ? fmt::format("{:+.1f} %", 100.0 * (at.after / at.before - 1.0))
                                : "from zero";
  return fmt::format(
      "{}: {} -> {} ({}) between {} and {}, {}; p = {:.3f}\n", reports::one_line(name),
      value_words(at.before, of.unit), value_words(at.after, of.unit), share,
      commit_words(of.points[at.first - 1].commit), commit_words(of.points[at.first].commit),
      calendar_words(of.points[at.first].recorded_at_ns), at.p_value);
}

std::string changes_of(const history::series& in, const history::change_rules& rules,
                       std::size_t& found) {
  std::vector<double> values;
  for (const history::series_point& point : in.points) values.push_back(point.value);
  std::string text;
  for (const history::change_point& at : history::change_points(values, rules)) {
    text += change_words(in, at);
    ++found;
  }
  return text;
}

// A series too short for a change is said to be so: silence would pass for "nothing changed".
result<exit_code> changes(const history_verb_flags& flags) {
  constexpr std::size_t least_points = 2 * history::change_rules{}.least_points;
  ASSAY_TRY_ASSIGN(const auto kept, history::open_to_read(flags.where));
  ASSAY_TRY_ASSIGN(auto all, history::all_series(*kept));
  const std::size_t too_short = std::erase_if(
      all, [](const history::series& each) { return each.points.size() < least_points; });
  const history::change_rules rules = history::rules_for(all.size());
  std::string text;
  std::size_t found = 0;
  for (const history::series& each : all) text += changes_of(each, rules, found);
  text += fmt::format(
      "{} changes in {} series, 5 % for a false one among all; {} more have fewer than {} values\n",
      found, all.size(), too_short, least_points);
  ASSAY_TRY(write_to_stdout(text));
  return exit_code::clean;
}

using history_action = result<exit_code> (*)(const history_verb_flags&);

void add_action(CLI::App& verb, const char* name, const char* does, history_action run,
                const std::shared_ptr<history_verb_flags>& flags, verb_action& action) {
  CLI::App* sub = verb.add_subcommand(name, does);
  sub->add_option("--history", flags->where, "A file that --history wrote, or postgresql://…")
      ->required()
      ->check(not_empty());
  if (run == list)
    sub->add_option("--limit", flags->limit, "The newest of them")
        ->check(whole_number(1, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
  sub->callback([flags, run, &action] {
    action = [flags, run] {
      const auto outcome = run(*flags);
      return outcome ? *outcome : report_failure(outcome.error());
    };
  });
}

}  // namespace

void add_history_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<history_verb_flags>();
  CLI::App* verb =
      app.add_subcommand("history", "What audit and compare --history kept, and where it changed");
  verb->require_subcommand(1);
  add_action(*verb, "list", "The results, oldest first", list, flags, action);
  add_action(*verb, "export", "Every result as one line of JSON", export_all, flags, action);
  add_action(*verb, "changes", "Where a value changed, by E-divisive means", changes, flags,
             action);
}

}  // namespace assay::cli
