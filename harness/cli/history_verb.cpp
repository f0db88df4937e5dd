// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay history: what was kept of results, and where they changed.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/output_file.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "harness/history/entry_json.h"
#include "harness/history/store.h"
#include "harness/history/trends.h"
#include "reports/html/trend_html.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/trend_words.h"

namespace assay::cli {
namespace {

constexpr std::size_t key_digits = 12;

struct history_verb_flags {
  std::string where;
  std::string html;
  std::int64_t limit = 50;
};

std::string commit_words(const std::string& commit) {
  return commit.empty() ? "(no commit)" : reports::one_line(commit.substr(0, key_digits));
}

result<exit_code> list(const history_verb_flags& flags) {
  ASSAY_TRY_ASSIGN(const auto kept, history::open_to_read(flags.where));
  ASSAY_TRY_ASSIGN(const auto entries, history::list(*kept, flags.limit));
  std::string text;
  for (const history::listed_entry& each : entries)
    text += fmt::format("{}  {:<{}}  {:<7}  {:<17}  {:>6} values  {}\n",
                        reports::calendar_words(each.recorded_at_ns), commit_words(each.commit),
                        key_digits, each.verb, each.outcome, each.measures_count,
                        each.key.substr(0, key_digits));
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

// Values of one commit that differ are no work of a commit.
std::string between_words(const std::string& before, const std::string& after) {
  return before == after && !after.empty()
             ? "within " + commit_words(after)
             : fmt::format("between {} and {}", commit_words(before), commit_words(after));
}

std::string change_words(const model::trend_series& of, const model::trend_change& at) {
  const std::string share = at.before != 0.0
                                ? fmt::format("{:+.1f} %", 100.0 * (at.after / at.before - 1.0))
                                : "from zero";
  return fmt::format(
      "{}: {} -> {} ({}) {}, {}; p = {:.2g}\n", reports::one_line(reports::series_name(of)),
      reports::trend_value_words(at.before, of.unit), reports::trend_value_words(at.after, of.unit),
      share, between_words(of.points[at.first - 1].commit, of.points[at.first].commit),
      reports::calendar_words(of.points[at.first].recorded_at_ns), at.p_value);
}

// A series too short for a change is said to be so: silence would pass for "nothing changed".
std::string changes_text(const model::trend_report& trends) {
  std::string text;
  std::size_t found = 0;
  std::size_t searched = 0;
  for (const model::trend_series& each : trends.series) {
    searched += each.is_searched ? 1 : 0;
    found += each.changes.size();
    for (const model::trend_change& at : each.changes) text += change_words(each, at);
  }
  return text + fmt::format(
                    "{} changes in {} series, 5 % for a false one among all; {} more have "
                    "fewer than {} values\n",
                    found, searched, trends.series.size() - searched, trends.least_points);
}

result<exit_code> changes(const history_verb_flags& flags) {
  if (is_same_file(flags.html, flags.where))
    return ASSAY_FAIL(
        usage, "--history and --html both name " + flags.html + "; give each a file of its own");
  ASSAY_TRY_ASSIGN(const auto kept, history::open_to_read(flags.where));
  ASSAY_TRY_ASSIGN(output_file html, output_file::open(flags.html));
  ASSAY_TRY_ASSIGN(const auto all, history::all_series(*kept));
  const model::trend_report trends = history::trends_of(all);
  ASSAY_TRY(html.write(reports::trends_as_html(trends)));
  ASSAY_TRY(write_to_stdout(changes_text(trends)));
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
  if (run == changes)
    sub->add_option("--html", flags->html, "Every series as a page of trend plots")
        ->check(not_empty());
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
  CLI::App* verb = app.add_subcommand(
      "history", "What audit, compare and report --history kept, and where it changed");
  verb->require_subcommand(1);
  add_action(*verb, "list", "The results, oldest first", list, flags, action);
  add_action(*verb, "export", "Every result as one line of JSON", export_all, flags, action);
  add_action(*verb, "changes", "Where a value changed, by E-divisive means", changes, flags,
             action);
}

}  // namespace assay::cli
