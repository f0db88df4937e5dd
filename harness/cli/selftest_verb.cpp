// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay selftest: lying instruments beside an honest one, in the same run, and what became of each.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/auditor.h"
#include "harness/cli/audited_run.h"
#include "harness/cli/checkpoint_look.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/output_file.h"
#include "harness/cli/terminal.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "harness/selftest/matrix.h"
#include "probes/trace/trace_writer.h"
#include "reports/model/outcome.h"
#include "reports/text/audit_text.h"
#include "reports/wording/audit_words.h"
#include "scenarios/ledger.h"
#include "scenarios/registry.h"

namespace assay::cli {
namespace {

// One lie on stage: its instrument, and an audit of its own that knows nothing of it.
struct planted {
  const selftest::lie* lie;
  selftest::strength how;
  std::unique_ptr<selftest::instrument> instrument;
  std::unique_ptr<audit::auditor> auditor;
};

std::vector<planted> plant_all(std::span<const selftest::lie> lies) {
  std::vector<planted> all;
  for (const selftest::lie& lie : lies)
    for (const auto how : {selftest::strength::gross, selftest::strength::just_inside})
      all.push_back({&lie, how, lie.make(how), std::make_unique<audit::auditor>()});
  return all;
}

// The prompts on record, or for another checkpoint a scenario of the registry.
result<scenarios::decode_scenario> scenario_of(const std::filesystem::path& checkpoint,
                                               bool is_embedded) {
  if (is_embedded || std::filesystem::exists(checkpoint / "reference.json"))
    return scenarios::embedded_scenario(checkpoint);
  ASSAY_TRY_ASSIGN(const auto wanted, scenarios::find_scenario("short-prompt"));
  ASSAY_TRY_ASSIGN(const auto model, scenarios::read_model_shape(checkpoint));
  return scenarios::cut_to_context(wanted, model.max_context_tokens);
}

// What one run with its lies showed.
struct stage_result {
  std::vector<selftest::lie_result> lies;
  model::audit_report truth;
};

result<stage_result> run_stage(const run_options& options, std::span<const selftest::lie> lies) {
  std::vector<planted> stage = plant_all(lies);
  selftest::instrument honest;
  audit::auditor honest_auditor;
  std::vector<track> tracks{{&honest, &honest_auditor}};
  for (planted& each : stage) tracks.push_back({each.instrument.get(), each.auditor.get()});
  ASSAY_TRY(audited_run(options, tracks, progress_on_stderr()));
  stage_result result;
  ASSAY_TRY_ASSIGN(result.truth, honest_auditor.finish());
  for (planted& each : stage) {
    ASSAY_TRY_ASSIGN(const model::audit_report lying, each.auditor->finish());
    result.lies.push_back(judge(*each.lie, each.how, result.truth, lying));
  }
  return result;
}

// Room for some of the embedded checkpoint's weights, and not for all.
constexpr std::string_view streaming_limit = "8MiB";
constexpr std::uint32_t streaming_context_tokens = 256;

result<exit_code> verdict_on(const std::vector<stage_result>& stages) {
  std::vector<selftest::lie_result> results;
  for (const stage_result& each : stages)
    results.insert(results.end(), each.lies.begin(), each.lies.end());
  ASSAY_TRY(write_to_stdout(selftest::matrix_as_text(results)));
  const bool is_all_passed = std::all_of(results.begin(), results.end(),
                                         [](const selftest::lie_result& r) { return r.is_passed; });
  for (const stage_result& each : stages) {
    if (model::outcome_of(each.truth) == model::outcome::clean) continue;
    ASSAY_TRY(write_to_stdout("the honest instrument beside them is not clean:\n" +
                              reports::audit_as_text(each.truth)));
    return is_all_passed ? exit_code::undecided : exit_code::found;
  }
  return is_all_passed ? exit_code::clean : exit_code::found;
}

// A step under a limit on a GPU leaves four hundred records, each of which fourteen audits fold:
// one request shows what eight would.
constexpr std::uint32_t streamed_gpu_tokens = 16;

// A GPU's limit is of all that the process takes there, which nobody knows beforehand.
result<void> limit_memory(run_options& options) {
  options.is_half_streamed = options.device == telemetry::device_class::cuda;
  if (options.is_half_streamed) {
    options.context_tokens = streaming_context_tokens;
    options.scenario =
        scenarios::single_prompt(options.scenario.requests.front().prompt, streamed_gpu_tokens);
    return {};
  }
  options.context_tokens = streaming_context_tokens;
  ASSAY_TRY_ASSIGN(options.vram_limit, memory::vram_limit::parse(streaming_limit));
  return {};
}

// CUPTI is right in a process's first session only: on a GPU the lies of a limit need a process of
// their own.
result<exit_code> selftest(telemetry::device_class on, const std::string& checkpoint,
                           bool is_under_limit) {
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  options.device = on;
  const bool is_gpu = on == telemetry::device_class::cuda;
  if (is_gpu) options.arena_bytes = 0;  // the knob is the host's
  if (!checkpoint.empty()) options.checkpoint = checkpoint;
  ASSAY_TRY(look_at_checkpoint(options.checkpoint));
  ASSAY_TRY_ASSIGN(options.scenario, scenario_of(options.checkpoint, checkpoint.empty()));
  std::vector<stage_result> stages;
  if (!is_under_limit) {
    ASSAY_TRY_ASSIGN(auto resident, run_stage(options, selftest::lies(on)));
    stages.push_back(std::move(resident));
  }
  if (is_under_limit || (!is_gpu && checkpoint.empty())) {
    ASSAY_TRY(limit_memory(options));
    ASSAY_TRY_ASSIGN(auto streamed, run_stage(options, selftest::lies_under_limit(on)));
    stages.push_back(std::move(streamed));
  }
  return verdict_on(stages);
}

// One lie and the honest instrument beside it, as two traces of one run: for a report to be read
// on.
struct kept_lie {
  std::string name;
  std::string lying;   ///< path
  std::string honest;  ///< path, or empty
};

result<const selftest::lie*> find_lie(std::string_view name, bool& is_under_limit) {
  for (const bool is_limited : {false, true})
    for (const selftest::lie& each : is_limited ? selftest::lies_under_limit() : selftest::lies())
      if (each.name == name) {
        is_under_limit = is_limited;
        return &each;
      }
  return ASSAY_FAIL(usage,
                    fmt::format("--lie: there is no lie \"{}\"; assay list lies has them all",
                                reports::one_line(name)));
}

result<exit_code> keep(const kept_lie& wanted) {
  if (wanted.lying.empty())
    return ASSAY_FAIL(usage, "--lie needs --out-trace, where its trace goes");
  if (is_same_file(wanted.lying, wanted.honest))
    return ASSAY_FAIL(usage,
                      fmt::format("--out-trace and --out-honest-trace both name {}; give each "
                                  "a file of its own",
                                  wanted.lying));
  bool is_under_limit = false;
  ASSAY_TRY_ASSIGN(const selftest::lie* lie, find_lie(wanted.name, is_under_limit));
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  ASSAY_TRY_ASSIGN(options.scenario, scenario_of(options.checkpoint, true));
  if (is_under_limit) ASSAY_TRY(limit_memory(options));
  const auto liar = lie->make(selftest::strength::gross);
  selftest::instrument honest;
  ASSAY_TRY_ASSIGN(auto lying_trace, trace::trace_writer::open(wanted.lying));
  std::vector<track> tracks{{liar.get(), &lying_trace}};
  std::optional<trace::trace_writer> honest_trace;
  if (!wanted.honest.empty()) {
    ASSAY_TRY_ASSIGN(auto made, trace::trace_writer::open(wanted.honest));
    tracks.push_back({&honest, &honest_trace.emplace(std::move(made))});
  }
  ASSAY_TRY(audited_run(options, tracks, progress_on_stderr()));
  return exit_code::clean;
}

}  // namespace

void add_selftest_verb(CLI::App& app, verb_action& action) {
  CLI::App* verb = app.add_subcommand(
      "selftest", "Plant known lies beside an honest run and show which rule caught each");
  auto device = std::make_shared<std::string>("host");
  auto checkpoint = std::make_shared<std::string>();
  verb->add_option("--checkpoint", *checkpoint,
                   "Another checkpoint; on a GPU one whose steps take longer than their launch");
  verb->add_option("--device", *device, "host or cuda: the first GPU")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  auto is_under_limit = std::make_shared<bool>(false);
  verb->add_flag("--under-limit", *is_under_limit,
                 "Only the lies of a limit on memory: on a GPU they need a process of their own");
  auto kept = std::make_shared<kept_lie>();
  CLI::Option* lie = verb->add_option("--lie", kept->name,
                                      "Judge nothing: run with this lie, and keep what it told");
  lie->check(not_empty());
  verb->add_option("--out-trace", kept->lying, "The trace with the lie's readings")
      ->needs(lie)
      ->check(not_empty());
  verb->add_option("--out-honest-trace", kept->honest,
                   "The trace of the same run with the honest instrument's readings")
      ->needs(lie)
      ->check(not_empty());
  for (CLI::Option* other : verb->get_options())
    if (other->check_lname("checkpoint") || other->check_lname("device") ||
        other->check_lname("under-limit"))
      lie->excludes(other);
  verb->callback([device, checkpoint, is_under_limit, kept, &action] {
    action = [device, checkpoint, is_under_limit, kept] {
      catch_interrupts();
      if (!kept->name.empty()) {
        const auto outcome = keep(*kept);
        return outcome ? *outcome : report_failure(outcome.error());
      }
      const auto outcome = selftest(
          *device == "cuda" ? telemetry::device_class::cuda : telemetry::device_class::host,
          *checkpoint, *is_under_limit);
      return outcome ? *outcome : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
