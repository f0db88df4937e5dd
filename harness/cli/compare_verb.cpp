// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay compare: a change against its base, measured in pairs or read from files.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/compare_calibrate.h"
#include "harness/cli/compare_files.h"
#include "harness/cli/compare_flags.h"
#include "harness/cli/compare_floors.h"
#include "harness/cli/compare_refs.h"
#include "harness/cli/compare_run.h"
#include "harness/cli/compare_subjects.h"
#include "harness/cli/history_flag.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/output_file.h"
#include "harness/cli/quantity_flag.h"
#include "harness/cli/terminal.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "harness/compare/control_kernel.h"
#include "harness/compare/merged_run.h"
#include "reports/html/comparison_html.h"
#include "reports/json/comparison_json.h"
#include "reports/junit/comparison_junit.h"
#include "reports/markdown/comparison_markdown.h"
#include "reports/model/comparison_outcome.h"
#include "reports/text/comparison_text.h"

namespace assay::cli {
namespace {

result<compare::decision_rules> rules_of(const compare_flags& flags) {
  compare::decision_rules rules;
  ASSAY_TRY_ASSIGN(
      rules.threshold_ratio,
      parse_percent("--threshold",
                    flags.threshold_share.empty() ? default_threshold : flags.threshold_share));
  if (!flags.floor.empty()) {
    ASSAY_TRY_ASSIGN(rules.floor_ratio, parse_percent("--floor", flags.floor));
    rules.floor_source = "floor as given by --floor";
  }
  rules.screen_pairs = flags.screen_pairs.value_or(rules.screen_pairs);
  rules.confirm_pairs = flags.confirm_pairs.value_or(rules.confirm_pairs);
  rules.seed = flags.seed.value_or(1);
  return rules;
}

// What the flags of a measured comparison say by themselves: read before anything is built, since
// a build takes minutes.
struct order {
  compare::decision_rules rules;
  compare::run_limits limits;
  ref_flags refs;
  std::optional<compare::shard> shard;
  std::string floors_grain;
};

result<order> order_of(const compare_flags& flags) {
  order made;
  ASSAY_TRY_ASSIGN(made.rules, rules_of(flags));
  if (!flags.floors_file.empty()) {
    ASSAY_TRY_ASSIGN(made.floors_grain, take_floors(flags.floors_file, made.rules));
  }
  if (!flags.budget.empty()) {
    ASSAY_TRY_ASSIGN(made.limits.budget_ns, parse_duration_ns("--budget", flags.budget));
  }
  ASSAY_TRY_ASSIGN(made.limits.process_ns,
                   parse_duration_ns("--process-limit", flags.process_limit));
  if (!flags.slice.empty()) {
    ASSAY_TRY_ASSIGN(made.limits.slice_ns, parse_duration_ns("--slice", flags.slice));
  }
  made.refs = flags.refs;
  ASSAY_TRY_ASSIGN(made.refs.build_limit_ns, parse_duration_ns("--build-limit", flags.build_limit));
  if (!flags.shard.empty()) {
    ASSAY_TRY_ASSIGN(made.shard, compare::parse_shard("--shard", flags.shard));
  }
  return made;
}

// Errors: usage, where nothing takes turns.
result<void> check_slices(const compare_flags& flags, const measured_comparison& what) {
  if (flags.slice.empty() || what.subjects.front().is_sliced) return {};
  return ASSAY_FAIL(
      usage, "compare: --slice changes nothing: what is compared takes no turns; leave it out");
}

void note_grain(measured_comparison& what) {
  if (!what.subjects.front().is_sliced) return;
  what.facts.push_back(
      {compare::grain_name, fmt::format("pairs of processes that take turns: {} slices of {} "
                                        "ns each",
                                        what.limits.slices, what.limits.slice_ns)});
}

// Everything that there is to measure; `built` where commits are compared.
result<measured_comparison> to_measure(const compare_flags& flags, source from, const order& said,
                                       const std::optional<built_sides>& built) {
  measured_comparison what;
  what.rules = said.rules;
  what.limits = said.limits;
  output_format format = output_format::google_benchmark;
  using shell_line = std::vector<std::string>;
  std::pair<shell_line, shell_line> counts;
  if (!flags.base_counts.empty())
    counts = {shell_line{"/bin/sh", "-c", flags.base_counts},
              shell_line{"/bin/sh", "-c", flags.head_counts}};
  if (from == source::commands) {
    ASSAY_TRY_ASSIGN(format, parse_output_format(flags.format));
    what.subjects = {command_subject(flags.base_command, flags.head_command, format)};
    what.facts = {{"base command", flags.base_command}, {"head command", flags.head_command}};
    for (const std::string* line : {&flags.base_command, &flags.head_command})
      ASSAY_TRY(watch_line(*line, what.limits.process_ns, is_interrupted, what.programs));
  } else {
    binary_flags binaries = flags.binaries;
    what.facts = {{"base binary", binaries.base}, {"head binary", binaries.head}};
    if (built) {
      binaries.base = built->base.binary;
      binaries.head = built->head.binary;
      what.facts = built->facts;
      counts = {built->base.counts_command, built->head.counts_command};
    }
    // What takes turns tells nothing but its time.
    binaries.is_process_grain |= flags.metric_wanted() != default_metric;
    ASSAY_TRY_ASSIGN(what.programs,
                     note_binaries(binaries, what.limits.process_ns, is_interrupted, what.facts));
    ASSAY_TRY_ASSIGN(what.subjects,
                     binary_subjects(binaries, what.limits.process_ns, is_interrupted));
  }
  for (const std::string* line : {&flags.base_counts, &flags.head_counts})
    ASSAY_TRY(watch_line(*line, what.limits.process_ns, is_interrupted, what.programs));
  what.facts.push_back({compare::watched_name, what.programs.words()});
  ASSAY_TRY(check_slices(flags, what));
  note_grain(what);
  ASSAY_TRY(check_grain(flags.floors_file, said.floors_grain, what.facts));
  ASSAY_TRY(check_floors_name(flags.floors_file, what.subjects, said.rules));
  if (!counts.first.empty()) what.subjects.push_back(counts_subject(counts.first, counts.second));
  if (said.shard) {
    what.facts.push_back(compare::rows_fact(what.subjects));
    ASSAY_TRY_ASSIGN(what.subjects, compare::subjects_of(*said.shard, what.subjects));
    what.facts.push_back(compare::shard_fact(*said.shard));
  }
  what.reader = reader_of(format, flags.metric_wanted());
  what.samples_path = flags.out_samples;
  return what;
}

result<model::comparison_report> measure(const compare_flags& flags, source from) {
  ASSAY_TRY_ASSIGN(const order said, order_of(flags));
  std::optional<built_sides> built;
  if (from == source::refs) {
    ASSAY_TRY_ASSIGN(built, build_refs(said.refs, progress_on_stderr(), is_interrupted));
  }
  ASSAY_TRY_ASSIGN(const measured_comparison what, to_measure(flags, from, said, built));
  return measure_and_judge(what, progress_on_stderr());
}

result<model::comparison_report> judge_files(const compare_flags& flags) {
  if (!flags.merged.empty()) return judge_shards(flags.merged);
  file_comparison what;
  what.base = flags.base_file;
  what.head = flags.head_file;
  what.metric = flags.metric_wanted();
  what.is_any_environment = flags.is_any_environment;
  ASSAY_TRY_ASSIGN(what.rules, rules_of(flags));
  for (const std::string& alias : flags.aliases) {
    const std::size_t equals = alias.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == alias.size())
      return ASSAY_FAIL(usage, fmt::format("--alias: '{}' is none; write OLD=NEW", alias));
    what.aliases.emplace_back(alias.substr(0, equals), alias.substr(equals + 1));
  }
  if (!flags.control.empty()) {
    ASSAY_TRY_ASSIGN(what.is_control, name_filter("--control", flags.control));
  }
  return compare_files(what);
}

result<exit_code> compare_sides(const compare_flags& flags) {
  ASSAY_TRY_ASSIGN(const source from, source_of(flags));
  ASSAY_TRY(check_together(flags, from));
  ASSAY_TRY(check_outputs(flags));
  ASSAY_TRY_ASSIGN(output_file json, output_file::open(flags.out_json));
  ASSAY_TRY_ASSIGN(output_file markdown, output_file::open(flags.out_markdown));
  ASSAY_TRY_ASSIGN(output_file html, output_file::open(flags.out_html));
  ASSAY_TRY_ASSIGN(output_file junit, output_file::open(flags.out_junit));
  ASSAY_TRY_ASSIGN(history_sink history, history_sink::open(flags.history));
  ASSAY_TRY_ASSIGN(const auto coverage, coverage_table_of(flags.coverage));
  ASSAY_TRY_ASSIGN(model::comparison_report report,
                   is_measured(from) ? measure(flags, from) : judge_files(flags));
  report.coverage = coverage;
  const model::outcome outcome = model::outcome_of(report, flags.is_strict);
  ASSAY_TRY(json.write(reports::comparison_as_json(report, outcome)));
  ASSAY_TRY(markdown.write(reports::comparison_as_markdown(report)));
  ASSAY_TRY(html.write(reports::comparison_as_html(report, outcome)));
  ASSAY_TRY(junit.write(reports::comparison_as_junit(report, outcome)));
  ASSAY_TRY(write_to_stdout(reports::comparison_as_text(report, {is_stdout_coloured()})));
  ASSAY_TRY(history.add(report, outcome));
  return static_cast<exit_code>(outcome);
}

// The plain link against each other one of the same commit. Counts teach no floor.
result<std::vector<measured_comparison>> relinks_to_measure(compare_flags flags, source from) {
  flags.base_counts.clear();
  flags.head_counts.clear();
  ASSAY_TRY_ASSIGN(const order said, order_of(flags));
  std::vector<measured_comparison> all;
  if (from == source::refs) {
    ASSAY_TRY_ASSIGN(
        auto sides, build_relinked(said.refs, flags.relinks, progress_on_stderr(), is_interrupted));
    for (built_sides& each : sides) {
      each.base.counts_command.clear();
      ASSAY_TRY_ASSIGN(measured_comparison what, to_measure(flags, from, said, std::move(each)));
      all.push_back(std::move(what));
    }
    return all;
  }
  std::vector<std::string> heads = flags.relinked;
  heads.insert(heads.begin(), flags.binaries.head);
  for (const std::string& head : heads) {
    flags.binaries.head = head;
    ASSAY_TRY_ASSIGN(measured_comparison what, to_measure(flags, from, said, std::nullopt));
    all.push_back(std::move(what));
  }
  return all;
}

// One run after the other of two links of one commit; the logs lie beside the file of floors.
result<compare::calibration> measured_floors(const compare_flags& flags) {
  ASSAY_TRY_ASSIGN(const source from, source_of(flags));
  if (!is_measured(from) || from == source::commands)
    return ASSAY_FAIL(usage,
                      "--calibrate: compares links of one commit; give --head REF, or "
                      "--base-bin with --head-bin");
  if (!flags.refs.base.empty())
    return ASSAY_FAIL(usage, "--calibrate: builds --head in several orders; leave --base out");
  if (from == source::refs && !flags.relinked.empty())
    return ASSAY_FAIL(usage, "--relinked-bin: with --head say --relinks N instead");
  ASSAY_TRY_ASSIGN(auto relinks, relinks_to_measure(flags, from));
  calibration_wish wish;
  wish.folder = flags.calibration_file + ".logs";
  wish.results = flags.results;
  wish.pairs_a_result = relinks.front().rules.confirm_pairs;
  for (measured_comparison& each : relinks)
    wish.budget_ns = std::exchange(each.limits.budget_ns, 0);
  return calibrate_by_measuring(std::move(relinks), wish, progress_on_stderr());
}

// Floors from logs of runs that compared equal builds, or from runs of our own.
result<exit_code> calibrate(const compare_flags& flags) {
  const bool has_logs = !flags.logs.empty();
  if (has_logs && source_of(flags))
    return ASSAY_FAIL(usage, "--log: with it nothing is measured; leave out what to compare");
  ASSAY_TRY(check_outputs(flags));
  ASSAY_TRY_ASSIGN(const auto floors,
                   has_logs
                       ? calibration_of(flags.logs, flags.confirm_pairs.value_or(
                                                        compare::decision_rules().confirm_pairs))
                       : measured_floors(flags));
  ASSAY_TRY_ASSIGN(output_file out, output_file::open(flags.calibration_file));
  ASSAY_TRY(out.write(compare::calibration_as_json(floors)));
  ASSAY_TRY(write_to_stdout(calibration_words(floors)));
  if (is_interrupted()) return exit_code::could_not_measure;
  return floors.rows.empty() ? exit_code::could_not_measure : exit_code::clean;
}

result<exit_code> run_control_kernel() {
  ASSAY_TRY(write_to_stdout(fmt::format("{} ns\n", compare::control_kernel_ns(8))));
  return exit_code::clean;
}

}  // namespace

void add_compare_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<compare_flags>();
  CLI::App* verb = app.add_subcommand(
      "compare", "Compare a change with its base: in pairs of processes, or from files");
  add_source_flags(*verb, *flags);
  add_method_flags(*verb, *flags);
  add_coverage_flags(*verb, flags->coverage);
  add_output_flags(*verb, *flags);
  add_history_flags(*verb, flags->history);
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->add_flag("--any-environment", flags->is_any_environment,
                 "Compare times of files although host, CPUs or build type differ");
  verb->add_flag("--process-grain", flags->binaries.is_process_grain,
                 "One process after the other, also of binaries that could take turns");
  verb->add_flag("--strict", flags->is_strict, "A row without a verdict is undecided: exit 4");
  verb->add_flag("--run-control-kernel", flags->is_control_kernel)->group("");
  verb->callback([flags, &action] {
    action = [flags] {
      if (!flags->is_control_kernel) catch_interrupts();
      const auto outcome = flags->is_control_kernel           ? run_control_kernel()
                           : !flags->calibration_file.empty() ? calibrate(*flags)
                                                              : compare_sides(*flags);
      return outcome ? *outcome : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
