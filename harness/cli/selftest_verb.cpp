// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay selftest: lying instruments beside an honest one, in the same run, and what became of each.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/auditor.h"
#include "harness/cli/audited_run.h"
#include "harness/cli/checkpoint_look.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/output_file.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/selftest/matrix.h"
#include "reports/model/outcome.h"
#include "reports/text/audit_text.h"
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

std::vector<planted> plant_all(telemetry::device_class on) {
  std::vector<planted> all;
  for (const selftest::lie& lie : selftest::lies(on))
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

result<exit_code> selftest(telemetry::device_class on, const std::string& checkpoint) {
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  options.device = on;
  if (on == telemetry::device_class::cuda) options.arena_bytes = 0;  // the knob is the host's
  if (!checkpoint.empty()) options.checkpoint = checkpoint;
  ASSAY_TRY(look_at_checkpoint(options.checkpoint));
  ASSAY_TRY_ASSIGN(options.scenario, scenario_of(options.checkpoint, checkpoint.empty()));
  std::vector<planted> stage = plant_all(on);
  selftest::instrument honest;
  audit::auditor honest_auditor;
  std::vector<track> tracks{{&honest, &honest_auditor}};
  for (planted& each : stage) tracks.push_back({each.instrument.get(), each.auditor.get()});
  ASSAY_TRY(audited_run(options, tracks, progress_on_stderr()));

  ASSAY_TRY_ASSIGN(const model::audit_report truth, honest_auditor.finish());
  std::vector<selftest::lie_result> results;
  bool is_all_passed = true;
  for (planted& each : stage) {
    ASSAY_TRY_ASSIGN(const model::audit_report lying, each.auditor->finish());
    results.push_back(judge(*each.lie, each.how, truth, lying));
    is_all_passed = is_all_passed && results.back().is_passed;
  }
  ASSAY_TRY(write_to_stdout(selftest::matrix_as_text(results)));
  if (model::outcome_of(truth) != model::outcome::clean) {
    ASSAY_TRY(write_to_stdout("the honest instrument beside them is not clean:\n" +
                              reports::audit_as_text(truth)));
    return is_all_passed ? exit_code::undecided : exit_code::found;
  }
  return is_all_passed ? exit_code::clean : exit_code::found;
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
  verb->callback([device, checkpoint, &action] {
    action = [device, checkpoint] {
      catch_interrupts();
      const auto outcome = selftest(
          *device == "cuda" ? telemetry::device_class::cuda : telemetry::device_class::host,
          *checkpoint);
      return outcome ? *outcome : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
