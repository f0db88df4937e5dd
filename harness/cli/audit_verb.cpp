// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay audit [TRACE]: decodes and judges every counter, or judges a trace that is there already.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "harness/cli/audit_file.h"
#include "harness/cli/audited_run.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/output_file.h"
#include "harness/cli/quantity_flag.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "probes/trace/trace_writer.h"
#include "reports/json/audit_json.h"
#include "reports/markdown/audit_markdown.h"
#include "reports/model/outcome.h"
#include "reports/text/audit_text.h"

namespace assay::cli {
namespace {

struct audit_flags {
  std::string trace;
  std::string checkpoint;
  std::string prompt;
  std::uint32_t max_new_tokens = 64;
  double temperature = 0.0;
  std::uint64_t seed = 0;
  std::string arena;
  std::string out_json;
  std::string out_markdown;
  std::string out_trace;
  bool is_strict = false;
};

result<run_options> options_of(const audit_flags& flags) {
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  if (!flags.checkpoint.empty()) options.checkpoint = flags.checkpoint;
  if (!flags.arena.empty()) {
    ASSAY_TRY_ASSIGN(options.arena_bytes, parse_bytes(flags.arena));
  }
  options.temperature = flags.temperature;
  options.seed = flags.seed;
  if (flags.checkpoint.empty() && flags.prompt.empty()) {
    ASSAY_TRY_ASSIGN(options.scenario, scenarios::embedded_scenario(options.checkpoint));
  } else {
    options.scenario = scenarios::single_prompt(
        flags.prompt.empty() ? "In the beginning" : flags.prompt, flags.max_new_tokens);
  }
  return options;
}

// A trace nobody asked to keep still has to be a file: what is audited is what would be read again.
struct temporary_path {
  std::string path;
  ~temporary_path() {
    if (!path.empty()) ::unlink(path.c_str());
  }
};

result<void> record(const audit_flags& flags, const std::string& path) {
  ASSAY_TRY_ASSIGN(const run_options options, options_of(flags));
  ASSAY_TRY_ASSIGN(auto writer, trace::trace_writer::open(path));
  selftest::instrument honest;
  const track only{&honest, &writer};
  return audited_run(options, {&only, 1}, progress_on_stderr());
}

result<exit_code> audit(const audit_flags& flags) {
  ASSAY_TRY_ASSIGN(output_file json, output_file::open(flags.out_json));
  ASSAY_TRY_ASSIGN(output_file markdown, output_file::open(flags.out_markdown));
  temporary_path temporary;
  std::string path = flags.trace;
  if (path.empty()) {
    path = flags.out_trace;
    if (path.empty())
      path = temporary.path =
          (std::filesystem::temp_directory_path() / fmt::format("assay-{}.trace", ::getpid()))
              .string();
    ASSAY_TRY(record(flags, path));
  }
  ASSAY_TRY_ASSIGN(const model::audit_report report, audit_file(path));
  const model::outcome outcome = model::outcome_of(report, flags.is_strict);
  ASSAY_TRY(json.write(reports::audit_as_json(report, outcome)));
  ASSAY_TRY(markdown.write(reports::audit_as_markdown(report)));
  ASSAY_TRY(write_to_stdout(reports::audit_as_text(report, {is_stdout_coloured()})));
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
  run_only(verb->add_option("--prompt", flags->prompt, "One request with this prompt"));
  run_only(verb->add_option("--max-new-tokens", flags->max_new_tokens,
                            "With --prompt or "
                            "--checkpoint")
               ->check(CLI::PositiveNumber)
               ->capture_default_str());
  run_only(verb->add_option("--temperature", flags->temperature, "0 is greedy")
               ->check(CLI::NonNegativeNumber)
               ->capture_default_str());
  run_only(verb->add_option("--seed", flags->seed, "Of the sampling generator"));
  run_only(verb->add_option("--arena", flags->arena, "Device memory limit, such as 512MiB"));
  run_only(verb->add_option("--out-trace", flags->out_trace, "Keep the run's trace here"));
  verb->add_option("--out-json", flags->out_json, "The audit as JSON");
  verb->add_option("--out-markdown", flags->out_markdown, "The audit as Markdown");
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
