// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay guard: a program's metrics, documents and source against its contract.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/guard_files.h"
#include "harness/cli/output_file.h"
#include "harness/cli/project_guard.h"
#include "harness/cli/terminal.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "harness/guard/contract_start.h"
#include "harness/guard/contradictions.h"
#include "harness/guard/guard.h"
#include "harness/ingest/complaint.h"
#include "harness/ingest/exposition.h"
#include "harness/ingest/guard_contract_json.h"
#include "reports/json/guard_json.h"
#include "reports/junit/guard_junit.h"
#include "reports/text/guard_text.h"

namespace assay::cli {
namespace {

struct guard_flags {
  std::string contract;
  std::string init;
  std::string self;
  std::vector<std::string> metrics;
  std::vector<std::string> documents;
  std::vector<std::string> source;
  std::vector<std::string> patterns;
  std::string out_json, out_junit;
  bool is_strict = false;
};

result<ingest::exposition_options> options_of(const guard_flags& flags) {
  ingest::exposition_options options;
  // The wall clock, since that is what an exposition's times are of.
  options.now_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
  for (const std::string& text : flags.patterns) {
    ASSAY_TRY_ASSIGN(auto pattern, ingest::parse_log_pattern(text));
    options.patterns.push_back(std::move(pattern));
  }
  return options;
}

result<void> check_flags(const guard_flags& flags) {
  const bool has_subject =
      !flags.metrics.empty() || !flags.documents.empty() || !flags.source.empty();
  if (!flags.init.empty()) {
    if (!flags.contract.empty() || !flags.self.empty() || has_subject)
      return ASSAY_FAIL(usage,
                        "guard: --init starts a contract from one file of metrics; give it "
                        "alone");
    return {};
  }
  if (!flags.self.empty()) {
    if (!flags.contract.empty() || has_subject)
      return ASSAY_FAIL(usage,
                        "guard: --self looks at this program alone; give it without --contract, "
                        "--metrics, --docs and --source");
    return {};
  }
  if (flags.contract.empty())
    return ASSAY_FAIL(usage,
                      "guard: the contract is missing; give --contract FILE, or start one "
                      "with --init METRICS");
  if (!has_subject)
    return ASSAY_FAIL(usage,
                      "guard: there is nothing to hold against the contract; give one of "
                      "--metrics, --docs, --source");
  return {};
}

result<model::guard_contract> sound_contract(const std::string& path) {
  ASSAY_TRY_ASSIGN(auto contract, ingest::read_guard_contract(path));
  const auto found = guard::contradictions(contract);
  if (found.empty()) return contract;
  std::string text;
  constexpr std::size_t most_told = 20;
  for (std::size_t at = 0; at < std::min(found.size(), most_told); ++at)
    text += fmt::format("{}{} {}", at == 0 ? "" : ", ", found[at].where(), found[at].what);
  if (found.size() > most_told) text += fmt::format(", and {} more", found.size() - most_told);
  return ASSAY_FAIL(unusable_input,
                    fmt::format("{}: contradicts itself: {}; mend the contract", path, text));
}

result<exit_code> start_contract(const guard_flags& flags) {
  ASSAY_TRY_ASSIGN(const auto options, options_of(flags));
  ASSAY_TRY_ASSIGN(const auto snapshots, ingest::read_exposition(flags.init, options));
  for (const auto& snapshot : snapshots) {
    if (snapshot.samples.empty())
      return ASSAY_FAIL(unusable_input, fmt::format("{}: holds no sample; scrape the program again",
                                                    ingest::printable(snapshot.source)));
    for (const auto& problem : snapshot.problems)
      std::fprintf(stderr, "assay: %s:%zu: %s\n", ingest::printable(snapshot.source).c_str(),
                   problem.line, problem.what.c_str());
  }
  const model::guard_contract contract = guard::contract_from(snapshots);
  if (!contract.known.empty())
    std::fprintf(stderr,
                 "assay: %s: %zu findings in it are written down as known and will be told as "
                 "warnings; look at each, and take it out once it is mended\n",
                 ingest::printable(flags.init).c_str(), contract.known.size());
  ASSAY_TRY(write_to_stdout(guard::contract_as_json(contract)));
  return exit_code::clean;
}

result<std::vector<model::exposition>> read_metrics(const guard_flags& flags) {
  ASSAY_TRY_ASSIGN(const auto options, options_of(flags));
  std::vector<model::exposition> all;
  for (const std::string& path : flags.metrics) {
    ASSAY_TRY_ASSIGN(auto snapshots, ingest::read_exposition(path, options));
    for (auto& each : snapshots) all.push_back(std::move(each));
  }
  return all;
}

result<exit_code> tell(const model::guard_report& report, bool is_strict, output_file& json,
                       output_file& junit) {
  const model::outcome outcome = outcome_of(report, is_strict);
  ASSAY_TRY(json.write(reports::guard_as_json(report, outcome)));
  ASSAY_TRY(junit.write(reports::guard_as_junit(report, outcome)));
  ASSAY_TRY(write_to_stdout(reports::guard_as_text(report, {is_stdout_coloured()})));
  return static_cast<exit_code>(outcome);
}

result<exit_code> guard_this_program(const guard_flags& flags) {
  ASSAY_TRY_ASSIGN(output_file json, output_file::open(flags.out_json));
  ASSAY_TRY_ASSIGN(output_file junit, output_file::open(flags.out_junit));
  ASSAY_TRY_ASSIGN(const auto facts, look_at_project(flags.self, progress_on_stderr()));
  return tell(guard::judge_project(facts), flags.is_strict, json, junit);
}

// Whichever way it ends, no half line is left behind.
struct told_progress {
  progress tell = progress_on_stderr();
  ~told_progress() { tell(""); }
};

result<exit_code> guard_program(const guard_flags& flags) {
  ASSAY_TRY_ASSIGN(output_file json, output_file::open(flags.out_json));
  ASSAY_TRY_ASSIGN(output_file junit, output_file::open(flags.out_junit));
  const told_progress told;
  told.tell("reading the contract");
  ASSAY_TRY_ASSIGN(const auto contract, sound_contract(flags.contract));
  told.tell(fmt::format("{} promises; reading the metrics", contract.metrics.size()));
  ASSAY_TRY_ASSIGN(const auto snapshots, read_metrics(flags));
  told.tell("reading documents and source");
  std::optional<guard::name_book> documents;
  std::optional<guard::name_book> source;
  if (!flags.documents.empty())
    ASSAY_TRY(read_documents(flags.documents, documents.emplace(contract), told.tell));
  if (!flags.source.empty())
    ASSAY_TRY(read_source(flags.source, source.emplace(contract), told.tell));
  told.tell("judging");
  const model::guard_report report = guard::judge(
      contract, snapshots, documents ? &*documents : nullptr, source ? &*source : nullptr);
  told.tell("");
  return tell(report, flags.is_strict, json, junit);
}

}  // namespace

void add_guard_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<guard_flags>();
  CLI::App* verb = app.add_subcommand(
      "guard", "Hold a program's metrics, documents and source against its contract");
  verb->add_option("--contract", flags->contract, "What is promised (docs/schema)");
  verb->add_option("--init", flags->init, "Start a contract from a file of metrics, on stdout");
  verb->add_option("--self", flags->self,
                   "Guard this program: its counters, forms, documents and knobs; DIR is its "
                   "source");
  verb->add_option(
          "--metrics", flags->metrics,
          "Prometheus or OpenMetrics text, JSON lines, or a log; - is standard input; again for "
          "a later snapshot")
      ->allow_extra_args(false);
  verb->add_option("--log-pattern", flags->patterns,
                   "The metrics are a log: a line's text with {name} where a number stands; may be "
                   "repeated")
      ->allow_extra_args(false);
  verb->add_option("--docs", flags->documents, "Documents: files or folders");
  verb->add_option("--source", flags->source, "Source: files or folders");
  verb->add_option("--out-json", flags->out_json, "The result as JSON");
  verb->add_option("--out-junit", flags->out_junit, "The result as JUnit XML, a test a check");
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->add_flag("--strict", flags->is_strict,
                 "A promise that could not be tested is undecided: exit 4");
  verb->callback([flags, &action] {
    action = [flags] {
      const auto checked = check_flags(*flags);
      if (!checked) return report_failure(checked.error());
      const auto ended = !flags->init.empty()   ? start_contract(*flags)
                         : !flags->self.empty() ? guard_this_program(*flags)
                                                : guard_program(*flags);
      return ended ? *ended : report_failure(ended.error());
    };
  });
}

}  // namespace assay::cli
