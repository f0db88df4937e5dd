// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_flags.h"

#include <array>
#include <initializer_list>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/output_file.h"
#include "harness/cli/text_flag.h"
#include "harness/compare/signed_rank.h"

namespace assay::cli {

result<source> source_of(const compare_flags& flags) {
  const bool has_commands = !flags.base_command.empty() || !flags.head_command.empty();
  const bool has_binaries = !flags.binaries.base.empty() || !flags.binaries.head.empty();
  const bool has_files = !flags.base_file.empty();
  const bool has_shards = !flags.merged.empty();
  const bool has_refs = !flags.refs.base.empty() || !flags.refs.head.empty();
  if (int{has_commands} + int{has_binaries} + int{has_files} + int{has_shards} + int{has_refs} != 1)
    return ASSAY_FAIL(
        usage,
        "compare: give one of: BASE HEAD, --base-cmd with --head-cmd, --base-bin with "
        "--head-bin, --base or --head REF, --merge LOG");
  if (has_commands && (flags.base_command.empty() || flags.head_command.empty()))
    return ASSAY_FAIL(usage, "compare: --base-cmd and --head-cmd belong together; give both");
  if (has_binaries && (flags.binaries.base.empty() || flags.binaries.head.empty()))
    return ASSAY_FAIL(usage, "compare: --base-bin and --head-bin belong together; give both");
  if (has_refs) return source::refs;
  if (has_shards) return source::shards;
  return has_files ? source::files : has_commands ? source::commands : source::binaries;
}

namespace {

struct given_flag {
  const char* name;
  bool is_given;
};

result<void> refuse_idle(std::initializer_list<given_flag> flags, const char* where) {
  for (const given_flag& each : flags)
    if (each.is_given)
      return ASSAY_FAIL(
          usage, fmt::format("compare: {} changes nothing {}; leave it out", each.name, where));
  return {};
}

result<void> check_files(const compare_flags& flags, source from) {
  ASSAY_TRY(refuse_idle({{"--budget", !flags.budget.empty()},
                         {"--floor", !flags.floor.empty()},
                         {"--floors", !flags.floors_file.empty()},
                         {"--slice", !flags.slice.empty()},
                         {"--seed", flags.seed.has_value()},
                         {"--screen-pairs", flags.screen_pairs.has_value()},
                         {"--confirm-pairs", flags.confirm_pairs.has_value()},
                         {"--out-samples", !flags.out_samples.empty()},
                         {"--shard", !flags.shard.empty()},
                         {"--bench-arg", !flags.binaries.arguments.empty()},
                         {"--process-grain", flags.binaries.is_process_grain},
                         {"--scenarios", !flags.binaries.scenarios.empty()}},
                        "where files are compared"));
  // Who judges a log again by another threshold would read the old one's verdicts.
  const bool is_log = from == source::shards || flags.head_file.empty();
  return !is_log ? result<void>()
                 : refuse_idle({{"--threshold", !flags.threshold_share.empty()},
                                {"--metric", !flags.metric.empty()},
                                {"--control", !flags.control.empty()},
                                {"--alias", !flags.aliases.empty()},
                                {"--any-environment", flags.is_any_environment}},
                               "of a log, which is judged by the rules of its run");
}

result<void> check_measured(const compare_flags& flags, source from) {
  ASSAY_TRY(refuse_idle({{"--control", !flags.control.empty()},
                         {"--alias", !flags.aliases.empty()},
                         {"--any-environment", flags.is_any_environment}},
                        "where processes are run"));
  if (from != source::commands) return {};
  ASSAY_TRY(refuse_idle({{"--scenarios", !flags.binaries.scenarios.empty()},
                         {"--bench-arg", !flags.binaries.arguments.empty()},
                         {"--process-grain", flags.binaries.is_process_grain}},
                        "with --base-cmd"));
  return refuse_idle({{"--metric", !flags.metric.empty() && flags.format != "google-benchmark"}},
                     "but with --format google-benchmark");
}

}  // namespace

// A flag that would change nothing is a misunderstanding.
result<void> check_together(const compare_flags& flags, source from) {
  ASSAY_TRY(is_measured(from) ? check_measured(flags, from) : check_files(flags, from));
  ASSAY_TRY(
      refuse_idle({{"--log", !flags.logs.empty()}, {"--relinked-bin", !flags.relinked.empty()}},
                  "without --calibrate"));
  if (flags.base_counts.empty() != flags.head_counts.empty())
    return ASSAY_FAIL(usage, "compare: --base-counts and --head-counts belong together; give both");
  if (!is_measured(from) || from == source::refs)
    return refuse_idle({{"--base-counts", !flags.base_counts.empty()}},
                       "with files, or with commits, whose recipe has \"counts\"");
  return {};
}

namespace {

// "FLAG=FILE", or a file.
std::string file_of_flag(const std::string& given) {
  const std::size_t equals = given.find('=');
  return equals == std::string::npos ? given : given.substr(equals + 1);
}

std::vector<std::string> input_files(const compare_flags& flags) {
  std::vector<std::string> files{flags.base_file,         flags.head_file,     flags.floors_file,
                                 flags.refs.recipe_file,  flags.binaries.base, flags.binaries.head,
                                 flags.coverage.diff_file};
  for (const auto* list : {&flags.merged, &flags.logs, &flags.relinked})
    files.insert(files.end(), list->begin(), list->end());
  for (const auto* list : {&flags.coverage.base, &flags.coverage.head, &flags.coverage.carried})
    for (const std::string& each : *list) files.push_back(file_of_flag(each));
  return files;
}

}  // namespace

result<void> check_outputs(const compare_flags& flags) {
  const std::array outputs{&flags.out_json,  &flags.out_markdown, &flags.out_html,
                           &flags.out_junit, &flags.out_samples,  &flags.calibration_file};
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = i + 1; j < outputs.size(); ++j)
      if (is_same_file(*outputs[i], *outputs[j]))
        return ASSAY_FAIL(
            usage,
            fmt::format("two outputs both name {}; give each a file of its own", *outputs[j]));
  // An output is emptied before anything is read.
  for (const std::string& input : input_files(flags))
    for (const std::string* output : outputs)
      if (is_same_file(input, *output))
        return ASSAY_FAIL(
            usage,
            fmt::format("{} is read and would be overwritten; write to another file", *output));
  return {};
}

void add_source_flags(CLI::App& verb, compare_flags& flags) {
  verb.add_option("BASE", flags.base_file, "Results of the base: a file, or a folder of files");
  verb.add_option("HEAD", flags.head_file,
                  "Results of the head; without it BASE is a log of --out-samples");
  verb.add_option("--base", flags.refs.base,
                  "Build and measure this commit (default: where head left the main branch)");
  verb.add_option("--head", flags.refs.head, "Against this one (default: HEAD)");
  verb.add_option(
          "--recipe", flags.refs.recipe_file,
          "How a commit is built: {\"build\": shell line, \"benchmark\": binary, \"counts\": shell "
          "line}")
      ->default_val("assay-compare.json");
  verb.add_option("--build-limit", flags.build_limit, "Give a build up after that long")
      ->capture_default_str();
  verb.add_option("--base-cmd", flags.base_command, "Measure this command line as the base");
  verb.add_option("--head-cmd", flags.head_command, "And this one as the head");
  verb.add_option("--base-bin", flags.binaries.base, "Measure this Google Benchmark binary");
  verb.add_option("--head-bin", flags.binaries.head, "And this one as the head");
  verb.add_option("--base-counts", flags.base_counts,
                  "Compare exactly what this command line counts, as assay decode --counts does");
  verb.add_option("--head-counts", flags.head_counts, "With what this one counts");
  verb.add_option("--bench-arg", flags.binaries.arguments,
                  "Added to every run of either binary; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--scenarios", flags.binaries.scenarios, "Only benchmarks that match this regex");
  verb.add_option(
          "--format", flags.format,
          "What a command prints: wall (nothing: its time counts), number, google-benchmark")
      ->capture_default_str();
  verb.add_option("--metric", flags.metric,
                  "real_time, cpu_time or a counter's name (default: real_time)");
  verb.add_option("--merge", flags.merged,
                  "Judge the logs of all shards of a run as one; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--shard", flags.shard, "I/N: measure every Nth row only, from the Ith");
  verb.add_option("--alias", flags.aliases, "OLD=NEW: a row that was renamed; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--control", flags.control,
                  "Rows of the files that cannot have changed: a regex");
}

void add_method_flags(CLI::App& verb, compare_flags& flags) {
  const auto pairs = whole_number(2, compare::signed_rank_null::exact_pairs);
  verb.add_option("--threshold", flags.threshold_share,
                  "A change within it is of no interest (default: 2%)");
  verb.add_option("--floor", flags.floor,
                  "What equal builds differ by on this machine (default: uncalibrated, 10%)");
  verb.add_option("--floors", flags.floors_file, "The same for each row: a file of --calibrate");
  verb.add_option("--calibrate", flags.calibration_file,
                  "Write floors here: compares links of --head until each row has --results");
  verb.add_option("--results", flags.results, "With --calibrate: comparisons of equal builds a row")
      ->check(whole_number(1, 100'000))
      ->capture_default_str();
  verb.add_option(
          "--relinks", flags.relinks,
          "With --calibrate and --head: that many links by ASSAY_LINK_SALT 1 and up, by turns")
      ->check(whole_number(1, most_relinks))
      ->capture_default_str();
  verb.add_option("--relinked-bin", flags.relinked,
                  "With --calibrate and --head-bin: one more link of it; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--log", flags.logs,
                  "With --calibrate: measure nothing, take this log; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--budget", flags.budget, "Start no process after that long, such as 8m");
  verb.add_option("--process-limit", flags.process_limit, "Kill a process that runs longer")
      ->capture_default_str();
  verb.add_option("--slice", flags.slice,
                  "Of binaries that take turns, how long one turn lasts (default: 2ms)");
  verb.add_option("--seed", flags.seed, "Of the order in which processes run (default: 1)")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  verb.add_option("--screen-pairs", flags.screen_pairs,
                  "Pairs of each row to begin with (default: 12)")
      ->check(pairs);
  verb.add_option("--confirm-pairs", flags.confirm_pairs,
                  "Fresh pairs of each row that passed (default: 32)")
      ->check(pairs);
}

void add_output_flags(CLI::App& verb, compare_flags& flags) {
  verb.add_option("--out-json", flags.out_json, "The comparison as JSON");
  verb.add_option("--out-markdown", flags.out_markdown, "The comparison as a comment for a forge");
  verb.add_option("--out-html", flags.out_html, "The comparison as one page that loads nothing");
  verb.add_option("--out-junit", flags.out_junit, "The comparison as JUnit XML, a test a row");
  verb.add_option("--out-samples", flags.out_samples,
                  "Each process as it ends, as JSON lines; assay compare FILE judges it again");
}

}  // namespace assay::cli
