// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay compare: a change against its base, measured in pairs or read from files.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/compare_files.h"
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
#include "harness/compare/signed_rank.h"
#include "reports/json/comparison_json.h"
#include "reports/junit/comparison_junit.h"
#include "reports/markdown/comparison_markdown.h"
#include "reports/model/comparison_outcome.h"
#include "reports/text/comparison_text.h"

namespace assay::cli {
namespace {

struct compare_flags {
  std::string base_file, head_file;
  std::string base_command, head_command;
  binary_flags binaries;
  ref_flags refs;
  std::string build_limit = "30m";
  std::string format = "wall";
  std::string metric = "real_time";
  std::string threshold = "2%";
  std::string floor;
  std::string floors_file;
  std::string calibration_file;
  std::vector<std::string> logs;
  std::string budget;
  std::string process_limit = "60s";
  std::string control;
  std::vector<std::string> aliases;
  std::optional<std::uint64_t> seed;
  std::size_t screen_pairs = 12;
  std::size_t confirm_pairs = 32;
  std::string out_json, out_markdown, out_junit, out_samples;
  history_flags history;
  bool is_strict = false;
  bool is_any_environment = false;
  bool is_control_kernel = false;
};

enum class source { files, commands, binaries, refs };

result<source> source_of(const compare_flags& flags) {
  const bool has_commands = !flags.base_command.empty() || !flags.head_command.empty();
  const bool has_binaries = !flags.binaries.base.empty() || !flags.binaries.head.empty();
  const bool has_files = !flags.base_file.empty();
  const bool has_refs = !flags.refs.base.empty() || !flags.refs.head.empty();
  if (int{has_commands} + int{has_binaries} + int{has_files} + int{has_refs} != 1)
    return ASSAY_FAIL(
        usage,
        "compare: give one of: BASE HEAD, --base-cmd with --head-cmd, --base-bin with "
        "--head-bin, --base or --head REF");
  if (has_commands && (flags.base_command.empty() || flags.head_command.empty()))
    return ASSAY_FAIL(usage, "compare: --base-cmd and --head-cmd belong together; give both");
  if (has_binaries && (flags.binaries.base.empty() || flags.binaries.head.empty()))
    return ASSAY_FAIL(usage, "compare: --base-bin and --head-bin belong together; give both");
  if (has_refs) return source::refs;
  return has_files ? source::files : has_commands ? source::commands : source::binaries;
}

// A flag that would change nothing is a misunderstanding.
result<void> check_together(const compare_flags& flags, source from) {
  const auto idle = [](const char* flag, const char* where) {
    return ASSAY_FAIL(usage,
                      fmt::format("compare: {} changes nothing {}; leave it out", flag, where));
  };
  if (from == source::files) {
    for (const auto& [flag, is_given] :
         {std::pair{"--budget", !flags.budget.empty()}, std::pair{"--floor", !flags.floor.empty()},
          std::pair{"--out-samples", !flags.out_samples.empty()},
          std::pair{"--scenarios", !flags.binaries.scenarios.empty()}})
      if (is_given) return idle(flag, "where files are compared");
  } else {
    if (!flags.control.empty()) return idle("--control", "where processes are run");
    if (!flags.aliases.empty()) return idle("--alias", "where processes are run");
  }
  if (from == source::commands && !flags.binaries.scenarios.empty())
    return idle("--scenarios", "with --base-cmd");
  if (!flags.logs.empty()) return idle("--log", "without --calibrate");
  return {};
}

result<compare::decision_rules> rules_of(const compare_flags& flags) {
  compare::decision_rules rules;
  ASSAY_TRY_ASSIGN(rules.threshold_ratio, parse_percent("--threshold", flags.threshold));
  if (!flags.floor.empty()) {
    ASSAY_TRY_ASSIGN(rules.floor_ratio, parse_percent("--floor", flags.floor));
    rules.floor_source = "floor as given by --floor";
  }
  if (!flags.floors_file.empty()) ASSAY_TRY(take_floors(flags.floors_file, rules));
  rules.screen_pairs = flags.screen_pairs;
  rules.confirm_pairs = flags.confirm_pairs;
  rules.seed = flags.seed.value_or(1);
  return rules;
}

result<model::comparison_report> measure(const compare_flags& flags, source from) {
  measured_comparison what;
  ASSAY_TRY_ASSIGN(what.rules, rules_of(flags));
  if (!flags.budget.empty()) {
    ASSAY_TRY_ASSIGN(what.limits.budget_ns, parse_duration_ns("--budget", flags.budget));
  }
  ASSAY_TRY_ASSIGN(what.limits.process_ns,
                   parse_duration_ns("--process-limit", flags.process_limit));
  output_format format = output_format::google_benchmark;
  if (from == source::commands) {
    ASSAY_TRY_ASSIGN(format, parse_output_format(flags.format));
    what.subjects = {command_subject(flags.base_command, flags.head_command, format)};
    what.facts = {{"base command", flags.base_command}, {"head command", flags.head_command}};
  } else {
    binary_flags binaries = flags.binaries;
    what.facts = {{"base binary", binaries.base}, {"head binary", binaries.head}};
    if (from == source::refs) {
      ref_flags refs = flags.refs;
      ASSAY_TRY_ASSIGN(refs.build_limit_ns, parse_duration_ns("--build-limit", flags.build_limit));
      ASSAY_TRY_ASSIGN(built_sides built, build_refs(refs, progress_on_stderr(), is_interrupted));
      binaries.base = built.base.binary;
      binaries.head = built.head.binary;
      what.facts = std::move(built.facts);
    }
    ASSAY_TRY_ASSIGN(what.subjects,
                     binary_subjects(binaries, what.limits.process_ns, is_interrupted));
  }
  what.reader = reader_of(format, flags.metric);
  what.samples_path = flags.out_samples;
  return measure_and_judge(what, progress_on_stderr());
}

result<model::comparison_report> judge_files(const compare_flags& flags) {
  file_comparison what;
  what.base = flags.base_file;
  what.head = flags.head_file;
  what.metric = flags.metric;
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

result<void> check_outputs(const compare_flags& flags) {
  const std::array outputs{&flags.out_json, &flags.out_markdown, &flags.out_junit,
                           &flags.out_samples};
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = i + 1; j < outputs.size(); ++j)
      if (is_same_file(*outputs[i], *outputs[j]))
        return ASSAY_FAIL(
            usage,
            fmt::format("two outputs both name {}; give each a file of its own", *outputs[j]));
  return {};
}

result<exit_code> compare_sides(const compare_flags& flags) {
  ASSAY_TRY_ASSIGN(const source from, source_of(flags));
  ASSAY_TRY(check_together(flags, from));
  ASSAY_TRY(check_outputs(flags));
  ASSAY_TRY_ASSIGN(output_file json, output_file::open(flags.out_json));
  ASSAY_TRY_ASSIGN(output_file markdown, output_file::open(flags.out_markdown));
  ASSAY_TRY_ASSIGN(output_file junit, output_file::open(flags.out_junit));
  ASSAY_TRY_ASSIGN(history_sink history, history_sink::open(flags.history));
  ASSAY_TRY_ASSIGN(const model::comparison_report report,
                   from == source::files ? judge_files(flags) : measure(flags, from));
  const model::outcome outcome = model::outcome_of(report, flags.is_strict);
  ASSAY_TRY(json.write(reports::comparison_as_json(report, outcome)));
  ASSAY_TRY(markdown.write(reports::comparison_as_markdown(report)));
  ASSAY_TRY(junit.write(reports::comparison_as_junit(report, outcome)));
  ASSAY_TRY(history.add(report, outcome));
  ASSAY_TRY(write_to_stdout(reports::comparison_as_text(report, {is_stdout_coloured()})));
  return static_cast<exit_code>(outcome);
}

// Floors from logs of runs that compared equal builds.
result<exit_code> calibrate_from_logs(const compare_flags& flags) {
  if (flags.logs.empty())
    return ASSAY_FAIL(usage, "--calibrate: no logs; name them with --log FILE");
  if (source_of(flags))
    return ASSAY_FAIL(usage, "--calibrate: measures nothing; leave out what to compare");
  ASSAY_TRY_ASSIGN(output_file out, output_file::open(flags.calibration_file));
  ASSAY_TRY_ASSIGN(const auto floors, calibration_of(flags.logs, flags.confirm_pairs));
  ASSAY_TRY(out.write(compare::calibration_as_json(floors)));
  ASSAY_TRY(write_to_stdout(calibration_words(floors)));
  return floors.rows.empty() ? exit_code::could_not_measure : exit_code::clean;
}

result<exit_code> run_control_kernel() {
  ASSAY_TRY(write_to_stdout(fmt::format("{} ns\n", compare::control_kernel_ns(8))));
  return exit_code::clean;
}

void add_source_flags(CLI::App& verb, compare_flags& flags) {
  verb.add_option("BASE", flags.base_file, "Results of the base: a file, or a folder of files");
  verb.add_option("HEAD", flags.head_file,
                  "Results of the head; without it BASE is a log of --out-samples");
  verb.add_option("--base", flags.refs.base,
                  "Build and measure this commit (default: where head left the main branch)");
  verb.add_option("--head", flags.refs.head, "Against this one (default: HEAD)");
  verb.add_option("--recipe", flags.refs.recipe_file,
                  "How a commit is built: {\"build\": shell line, \"benchmark\": binary}")
      ->default_val("assay-compare.json");
  verb.add_option("--build-limit", flags.build_limit, "Give a build up after that long")
      ->capture_default_str();
  verb.add_option("--base-cmd", flags.base_command, "Measure this command line as the base");
  verb.add_option("--head-cmd", flags.head_command, "And this one as the head");
  verb.add_option("--base-bin", flags.binaries.base, "Measure this Google Benchmark binary");
  verb.add_option("--head-bin", flags.binaries.head, "And this one as the head");
  verb.add_option("--bench-arg", flags.binaries.arguments,
                  "Added to every run of either binary; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--scenarios", flags.binaries.scenarios, "Only benchmarks that match this regex");
  verb.add_option(
          "--format", flags.format,
          "What a command prints: wall (nothing: its time counts), number, google-benchmark")
      ->capture_default_str();
  verb.add_option("--metric", flags.metric, "real_time, cpu_time or a counter's name")
      ->capture_default_str();
  verb.add_option("--alias", flags.aliases, "OLD=NEW: a row that was renamed; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--control", flags.control,
                  "Rows of the files that cannot have changed: a regex");
}

void add_method_flags(CLI::App& verb, compare_flags& flags) {
  const auto pairs = whole_number(2, compare::signed_rank_null::exact_pairs);
  verb.add_option("--threshold", flags.threshold, "A change within it is of no interest")
      ->capture_default_str();
  verb.add_option("--floor", flags.floor,
                  "What equal builds differ by on this machine (default: uncalibrated, 10%)");
  verb.add_option("--floors", flags.floors_file, "The same for each row: a file of --calibrate");
  verb.add_option("--calibrate", flags.calibration_file,
                  "Write floors here, from logs of runs that compared two links of one commit");
  verb.add_option("--log", flags.logs, "With --calibrate: a log of --out-samples; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--budget", flags.budget, "Start no process after that long, such as 8m");
  verb.add_option("--process-limit", flags.process_limit, "Kill a process that runs longer")
      ->capture_default_str();
  verb.add_option("--seed", flags.seed, "Of the order in which processes run (default: 1)")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  verb.add_option("--screen-pairs", flags.screen_pairs, "Pairs of each row to begin with")
      ->check(pairs)
      ->capture_default_str();
  verb.add_option("--confirm-pairs", flags.confirm_pairs, "Fresh pairs of each row that passed")
      ->check(pairs)
      ->capture_default_str();
  verb.add_option("--out-json", flags.out_json, "The comparison as JSON");
  verb.add_option("--out-markdown", flags.out_markdown, "The comparison as a comment for a forge");
  verb.add_option("--out-junit", flags.out_junit, "The comparison as JUnit XML, a test a row");
  verb.add_option("--out-samples", flags.out_samples,
                  "Each process as it ends, as JSON lines; assay compare FILE judges it again");
}

}  // namespace

void add_compare_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<compare_flags>();
  CLI::App* verb = app.add_subcommand(
      "compare", "Compare a change with its base: in pairs of processes, or from files");
  add_source_flags(*verb, *flags);
  add_method_flags(*verb, *flags);
  add_history_flags(*verb, flags->history);
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->add_flag("--any-environment", flags->is_any_environment,
                 "Compare times of files although host, CPUs or build type differ");
  verb->add_flag("--strict", flags->is_strict, "A row without a verdict is undecided: exit 4");
  verb->add_flag("--run-control-kernel", flags->is_control_kernel)->group("");
  verb->callback([flags, &action] {
    action = [flags] {
      if (!flags->is_control_kernel) catch_interrupts();
      const auto outcome = flags->is_control_kernel           ? run_control_kernel()
                           : !flags->calibration_file.empty() ? calibrate_from_logs(*flags)
                                                              : compare_sides(*flags);
      return outcome ? *outcome : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
