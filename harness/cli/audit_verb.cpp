// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay audit [TRACE]: decodes and judges every counter, or judges a trace that is there already.
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/cli/audit_file.h"
#include "harness/cli/audited_run.h"
#include "harness/cli/checkpoint_look.h"
#include "harness/cli/history_flag.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/kept_trace.h"
#include "harness/cli/memory_flags.h"
#include "harness/cli/output_file.h"
#include "harness/cli/quantity_flag.h"
#include "harness/cli/temporary_file.h"
#include "harness/cli/terminal.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "probes/trace/trace_writer.h"
#include "reports/json/audit_json.h"
#include "reports/junit/audit_junit.h"
#include "reports/markdown/audit_markdown.h"
#include "reports/model/outcome.h"
#include "reports/prometheus/audit_prometheus.h"
#include "reports/text/audit_text.h"
#include "scenarios/ledger.h"
#include "scenarios/registry.h"

namespace assay::cli {
namespace {

constexpr std::uint32_t default_max_new_tokens = 64;

struct audit_flags {
  std::string trace;
  std::string checkpoint;
  std::string scenario;
  std::string prompt;
  std::optional<std::uint32_t> max_new_tokens;
  double temperature = 0.0;
  std::uint64_t seed = 0;
  std::string arena;
  std::string vram_limit;
  std::uint32_t context_tokens = 0;
  std::string device = "host";
  std::string out_json;
  std::string out_markdown;
  std::string out_junit;
  std::string out_prometheus;
  std::string out_trace;
  history_flags history;
  bool is_strict = false;
  bool has_observer_arm = false;
};

// What no single flag shows: two that name one file, or one that would change nothing.
result<void> check_together(const audit_flags& flags) {
  const std::array<std::pair<const char*, const std::string&>, 6> files{{
      {"TRACE", flags.trace},
      {"--out-trace", flags.out_trace},
      {"--out-json", flags.out_json},
      {"--out-markdown", flags.out_markdown},
      {"--out-junit", flags.out_junit},
      {"--out-prometheus", flags.out_prometheus},
  }};
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = i + 1; j < files.size(); ++j)
      if (is_same_file(files[i].second, files[j].second))
        return ASSAY_FAIL(usage, fmt::format("{} and {} both name {}; give each a file of its own",
                                             files[i].first, files[j].first, files[j].second));
  if (!flags.scenario.empty() && (!flags.prompt.empty() || flags.max_new_tokens))
    return ASSAY_FAIL(usage,
                      "--scenario has its own prompts and lengths; leave out --prompt and "
                      "--max-new-tokens");
  if (flags.max_new_tokens && flags.prompt.empty() && flags.checkpoint.empty())
    return ASSAY_FAIL(usage,
                      "--max-new-tokens changes nothing here: the embedded scenario has its own; "
                      "give --prompt too");
  return {};
}

result<run_options> options_of(const audit_flags& flags) {
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  if (!flags.checkpoint.empty()) options.checkpoint = flags.checkpoint;
  options.device =
      flags.device == "cuda" ? telemetry::device_class::cuda : telemetry::device_class::host;
  // The knob is the host's.
  if (options.device == telemetry::device_class::cuda) options.arena_bytes = 0;
  if (!flags.arena.empty()) {
    ASSAY_TRY_ASSIGN(options.arena_bytes, parse_limit_bytes("--arena", flags.arena));
  }
  ASSAY_TRY(set_memory(options, {flags.vram_limit, flags.context_tokens}));
  options.observer_cost = flags.has_observer_arm ? observer_arm::always : observer_arm::where_cheap;
  options.temperature = flags.temperature;
  options.seed = flags.seed;
  if (!flags.scenario.empty()) {
    ASSAY_TRY_ASSIGN(const auto wanted, scenarios::find_scenario(flags.scenario));
    ASSAY_TRY(look_at_checkpoint(options.checkpoint));
    ASSAY_TRY_ASSIGN(const auto model, scenarios::read_model_shape(options.checkpoint));
    ASSAY_TRY_ASSIGN(options.scenario,
                     scenarios::cut_to_context(wanted, context_of(options, model)));
  } else if (flags.checkpoint.empty() && flags.prompt.empty()) {
    ASSAY_TRY_ASSIGN(options.scenario, scenarios::embedded_scenario(options.checkpoint));
  } else {
    options.scenario =
        scenarios::single_prompt(flags.prompt.empty() ? "In the beginning" : flags.prompt,
                                 flags.max_new_tokens.value_or(default_max_new_tokens));
  }
  return options;
}

result<void> record(const audit_flags& flags, const std::string& path) {
  ASSAY_TRY_ASSIGN(const run_options options, options_of(flags));
  ASSAY_TRY(look_at_checkpoint(options.checkpoint));
  ASSAY_TRY_ASSIGN(auto writer, trace::trace_writer::open(path));
  selftest::instrument honest;
  const track only{&honest, &writer};
  return audited_run(options, {&only, 1}, progress_on_stderr());
}

// Records into the file that the caller named, or into one that is gone when the audit is done:
// what is audited is what could be read again.
result<model::audit_report> audit_run(const audit_flags& flags) {
  std::optional<temporary_file> temporary;
  std::string path = flags.out_trace;
  if (path.empty()) {
    ASSAY_TRY_ASSIGN(auto made, temporary_file::create());
    path = temporary.emplace(std::move(made)).path();
  }
  if (auto recorded = record(flags, path); !recorded)
    return failure(end_of_trace(std::move(recorded).error(), path, !flags.out_trace.empty()));
  return audit_file(path);
}

result<exit_code> audit(const audit_flags& flags) {
  ASSAY_TRY(check_together(flags));
  ASSAY_TRY_ASSIGN(output_file json, output_file::open(flags.out_json));
  ASSAY_TRY_ASSIGN(output_file markdown, output_file::open(flags.out_markdown));
  ASSAY_TRY_ASSIGN(output_file junit, output_file::open(flags.out_junit));
  ASSAY_TRY_ASSIGN(output_file prometheus, output_file::open(flags.out_prometheus));
  ASSAY_TRY_ASSIGN(history_sink history, history_sink::open(flags.history));
  ASSAY_TRY_ASSIGN(const model::audit_report report,
                   flags.trace.empty() ? audit_run(flags) : audit_file(flags.trace));
  const model::outcome outcome = model::outcome_of(report, flags.is_strict);
  ASSAY_TRY(json.write(reports::audit_as_json(report, outcome)));
  ASSAY_TRY(markdown.write(reports::audit_as_markdown(report)));
  ASSAY_TRY(junit.write(reports::audit_as_junit(report, outcome)));
  ASSAY_TRY(prometheus.write(reports::audit_as_prometheus(report, outcome)));
  ASSAY_TRY(write_to_stdout(reports::audit_as_text(report, {is_stdout_coloured()})));
  ASSAY_TRY(history.add(report, outcome));
  return static_cast<exit_code>(outcome);
}

}  // namespace

void add_audit_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<audit_flags>();
  CLI::App* verb = app.add_subcommand(
      "audit", "Judge every counter of a decode run against what independent sources observed");
  auto* trace = verb->add_option("TRACE", flags->trace, "Audit this trace and run nothing");
  const auto run_only = [&](CLI::Option* option) { option->excludes(trace); };
  run_only(verb->add_option("--checkpoint", flags->checkpoint,
                            "Checkpoint folder (default: the embedded one, with its prompts)"));
  run_only(verb->add_option("--scenario", flags->scenario,
                            "A scenario of the registry: assay list scenarios"));
  run_only(verb->add_option("--prompt", flags->prompt, "One request with this prompt"));
  run_only(verb->add_option("--max-new-tokens", flags->max_new_tokens,
                            fmt::format("With --prompt or --checkpoint (default: {})",
                                        default_max_new_tokens))
               ->check(whole_number(1, std::numeric_limits<std::uint32_t>::max())));
  run_only(verb->add_option("--temperature", flags->temperature, "0 is greedy")
               ->check(finite_number())
               ->capture_default_str());
  run_only(verb->add_option("--seed", flags->seed, "Of the sampling generator")
               ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max())));
  run_only(verb->add_option("--arena", flags->arena, arena_help));
  run_only(verb->add_option("--vram-limit", flags->vram_limit, vram_limit_help));
  run_only(verb->add_option("--context", flags->context_tokens, context_help)
               ->check(whole_number(1, std::numeric_limits<std::uint32_t>::max())));
  run_only(verb->add_option("--device", flags->device, "host or cuda: the first GPU, greedy")
               ->check(CLI::IsMember({"host", "cuda"}))
               ->capture_default_str());
  run_only(verb->add_option("--out-trace", flags->out_trace, "Keep the run's trace here"));
  run_only(verb->add_flag("--observer-cost", flags->has_observer_arm,
                          "Behind the run decode once more, by turns with and without observers"));
  verb->add_option("--out-json", flags->out_json, "The audit as JSON");
  verb->add_option("--out-markdown", flags->out_markdown, "The audit as Markdown");
  verb->add_option("--out-junit", flags->out_junit, "The audit as JUnit XML, a test a counter");
  verb->add_option("--out-prometheus", flags->out_prometheus, "The audit as Prometheus metrics");
  add_history_flags(*verb, flags->history);
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->add_flag("--strict", flags->is_strict, "An unmeasured counter is undecided: exit 4");
  verb->callback([flags, &action] {
    action = [flags] {
      catch_interrupts();
      const auto outcome = audit(*flags);
      return outcome ? *outcome : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
