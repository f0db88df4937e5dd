// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay report TRACE [TRACE]: where the time of a run went, and whether its numbers can be
// believed; of two, what differs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/attribution/rank_shift.h"
#include "harness/cli/history_flag.h"
#include "harness/cli/output_file.h"
#include "harness/cli/report_file.h"
#include "harness/cli/terminal.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "reports/html/investigation_html.h"
#include "reports/json/investigation_json.h"
#include "reports/markdown/investigation_markdown.h"
#include "reports/model/outcome.h"
#include "reports/text/investigation_text.h"

namespace assay::cli {
namespace {

struct report_flags {
  std::vector<std::string> traces;  ///< one, or two to compare
  std::vector<std::string> first;   ///< of several runs a side
  std::vector<std::string> second;
  std::string html;
  std::string markdown;
  std::string json;
  std::string timeline;
  history_flags history;
};

// TRACE and TRACE are one run a side.
bool is_comparison(const report_flags& flags) {
  return flags.traces.size() == 2 || !flags.first.empty();
}

result<void> check_together(const report_flags& flags) {
  if (flags.traces.empty() && flags.first.empty())
    return ASSAY_FAIL(usage, "no trace is named; assay audit --out-trace FILE makes one");
  // One file twice a side would be a repeat that shows no noise.
  for (const auto* side : {&flags.first, &flags.second})
    for (std::size_t i = 0; i < side->size(); ++i)
      for (std::size_t j = i + 1; j < side->size(); ++j)
        if (is_same_file((*side)[i], (*side)[j]))
          return ASSAY_FAIL(usage, fmt::format("{} and {} are one trace, and a repeat is a run of "
                                               "its own; name each once",
                                               (*side)[i], (*side)[j]));
  std::vector<std::pair<const char*, std::string>> files{
      {"--html", flags.html},
      {"--markdown", flags.markdown},
      {"--json", flags.json},
      {"--timeline", flags.timeline},
  };
  // Both traces may be one file: then nothing differs. Neither may be written.
  for (const auto* side : {&flags.traces, &flags.first, &flags.second})
    for (const std::string& each : *side)
      for (const auto& [flag, path] : files)
        if (is_same_file(each, path))
          return ASSAY_FAIL(
              usage,
              fmt::format("TRACE and {} both name {}; give each a file of its own", flag, path));
  if (is_comparison(flags) && !flags.timeline.empty())
    return ASSAY_FAIL(usage, "--timeline draws one trace; leave it out, or name one trace");
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = i + 1; j < files.size(); ++j)
      if (is_same_file(files[i].second, files[j].second))
        return ASSAY_FAIL(usage, fmt::format("{} and {} both name {}; give each a file of its own",
                                             files[i].first, files[j].first, files[j].second));
  if (is_comparison(flags) && !flags.history.where.empty())
    return ASSAY_FAIL(usage, "--history keeps the report of one trace; name one");
  return {};
}

struct report_outputs {
  output_file html;
  output_file markdown;
  output_file json;
  history_sink history;

  static result<report_outputs> open(const report_flags& flags) {
    ASSAY_TRY_ASSIGN(output_file html, output_file::open(flags.html));
    ASSAY_TRY_ASSIGN(output_file markdown, output_file::open(flags.markdown));
    ASSAY_TRY_ASSIGN(output_file json, output_file::open(flags.json));
    ASSAY_TRY_ASSIGN(history_sink history, history_sink::open(flags.history));
    return report_outputs{std::move(html), std::move(markdown), std::move(json),
                          std::move(history)};
  }
};

result<exit_code> report_one(const report_flags& flags, report_outputs& to) {
  ASSAY_TRY_ASSIGN(output_file timeline, output_file::open(flags.timeline));
  ASSAY_TRY_ASSIGN(const model::investigation found,
                   investigate_file(flags.traces.front(), timeline));
  const model::outcome outcome = model::outcome_of(found.audit);
  ASSAY_TRY(to.html.write(reports::investigation_as_html(found)));
  ASSAY_TRY(to.markdown.write(reports::investigation_as_markdown(found)));
  ASSAY_TRY(to.json.write(reports::investigation_as_json(found, outcome)));
  ASSAY_TRY(write_to_stdout(reports::investigation_as_text(found, {is_stdout_coloured()})));
  ASSAY_TRY(to.history.add(found, outcome));
  return static_cast<exit_code>(outcome);
}

result<exit_code> report_two(const report_flags& flags, report_outputs& to) {
  const bool is_pair = flags.first.empty();
  ASSAY_TRY_ASSIGN(
      const model::investigation_difference found,
      compare_files(is_pair ? std::vector<std::string>{flags.traces[0]} : flags.first,
                    is_pair ? std::vector<std::string>{flags.traces[1]} : flags.second));
  const model::outcome outcome = model::outcome_of(found);
  ASSAY_TRY(to.html.write(reports::difference_as_html(found)));
  ASSAY_TRY(to.markdown.write(reports::difference_as_markdown(found)));
  ASSAY_TRY(to.json.write(reports::difference_as_json(found, outcome)));
  ASSAY_TRY(write_to_stdout(reports::difference_as_text(found, {is_stdout_coloured()})));
  return static_cast<exit_code>(outcome);
}

result<exit_code> report(const report_flags& flags) {
  ASSAY_TRY(check_together(flags));
  ASSAY_TRY_ASSIGN(report_outputs to, report_outputs::open(flags));
  return is_comparison(flags) ? report_two(flags, to) : report_one(flags, to);
}

}  // namespace

void add_report_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<report_flags>();
  CLI::App* verb = app.add_subcommand(
      "report", "Say where the time of a run went, and whether its numbers can be believed");
  CLI::Option* traces =
      verb->add_option("TRACE", flags->traces,
                       "A trace: assay audit --out-trace makes one. Two: what differs between them")
          ->expected(0, 2);
  CLI::Option* first =
      verb->add_option("--first", flags->first,
                       "Several runs of one program, to tell a difference of times from the noise "
                       "between runs; made by turns with those of --second")
          ->expected(1, attribution::runs_max);
  CLI::Option* second = verb->add_option("--second", flags->second, "Several runs of the other")
                            ->expected(1, attribution::runs_max);
  first->needs(second)->excludes(traces);
  second->needs(first)->excludes(traces);
  verb->add_option("--html", flags->html, "The report as one page that loads nothing");
  verb->add_option("--markdown", flags->markdown, "The report as Markdown");
  verb->add_option("--json", flags->json, "The report as JSON");
  verb->add_option("--timeline", flags->timeline,
                   "Every record as JSON for ui.perfetto.dev or chrome://tracing");
  add_history_flags(*verb, flags->history);
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->callback([flags, &action] {
    action = [flags] {
      const auto outcome = report(*flags);
      return outcome ? *outcome : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
