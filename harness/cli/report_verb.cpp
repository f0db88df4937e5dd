// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay report TRACE: where the time of a run went, and whether its numbers can be believed.
#include <array>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

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
  std::string trace;
  std::string html;
  std::string markdown;
  std::string json;
  std::string timeline;
};

result<void> check_together(const report_flags& flags) {
  const std::array<std::pair<const char*, const std::string&>, 5> files{{
      {"TRACE", flags.trace},
      {"--html", flags.html},
      {"--markdown", flags.markdown},
      {"--json", flags.json},
      {"--timeline", flags.timeline},
  }};
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = i + 1; j < files.size(); ++j)
      if (is_same_file(files[i].second, files[j].second))
        return ASSAY_FAIL(usage, fmt::format("{} and {} both name {}; give each a file of its own",
                                             files[i].first, files[j].first, files[j].second));
  return {};
}

result<exit_code> report(const report_flags& flags) {
  ASSAY_TRY(check_together(flags));
  ASSAY_TRY_ASSIGN(output_file html, output_file::open(flags.html));
  ASSAY_TRY_ASSIGN(output_file markdown, output_file::open(flags.markdown));
  ASSAY_TRY_ASSIGN(output_file json, output_file::open(flags.json));
  ASSAY_TRY_ASSIGN(output_file timeline, output_file::open(flags.timeline));
  ASSAY_TRY_ASSIGN(const model::investigation found, investigate_file(flags.trace, timeline));
  const model::outcome outcome = model::outcome_of(found.audit);
  ASSAY_TRY(html.write(reports::investigation_as_html(found)));
  ASSAY_TRY(markdown.write(reports::investigation_as_markdown(found)));
  ASSAY_TRY(json.write(reports::investigation_as_json(found, outcome)));
  ASSAY_TRY(write_to_stdout(reports::investigation_as_text(found, {is_stdout_coloured()})));
  return static_cast<exit_code>(outcome);
}

}  // namespace

void add_report_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<report_flags>();
  CLI::App* verb = app.add_subcommand(
      "report", "Say where the time of a run went, and whether its numbers can be believed");
  verb->add_option("TRACE", flags->trace, "A trace: assay audit --out-trace makes one")->required();
  verb->add_option("--html", flags->html, "The report as one page that loads nothing");
  verb->add_option("--markdown", flags->markdown, "The report as Markdown");
  verb->add_option("--json", flags->json, "The report as JSON");
  verb->add_option("--timeline", flags->timeline,
                   "Every record as JSON for ui.perfetto.dev or chrome://tracing");
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->callback([flags, &action] {
    action = [flags] {
      const auto outcome = report(*flags);
      return outcome ? *outcome : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
