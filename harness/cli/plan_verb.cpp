// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay plan: what a run will take of the device, from headers and config, before it is loaded.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/checkpoint_look.h"
#include "harness/cli/gpu_decode.h"
#include "harness/cli/memory_flags.h"
#include "harness/cli/output_file.h"
#include "harness/cli/quantity_flag.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "reports/wording/quantity_words.h"
#include "runtime/checkpoint/weight_files.h"
#include "runtime/engine/memory_plan.h"

namespace assay::cli {
namespace {

struct plan_flags {
  std::string checkpoint;
  std::string arena;
  memory_flags memory;
  std::string device = "host";
  bool is_json = false;

  bool is_on_gpu() const { return device == "cuda"; }
};

// What is printed, whichever device it is of.
struct ledger {
  engine::memory_plan plan;
  std::vector<engine::plan_term> terms;
  std::optional<engine::plan_term> of_host;  ///< beside the device
};

result<ledger> gpu_plan_of(const plan_flags& flags, const run_options& options,
                           const engine::engine_options& wanted) {
  const std::uint64_t arena_bytes = flags.arena.empty() ? 0 : options.arena_bytes;
  ASSAY_TRY_ASSIGN(gpu_ledger made,
                   plan_on_gpu(flags.checkpoint, {arena_bytes, options.vram_limit}, wanted));
  const bool is_held = made.page_locked_bytes <= made.pinnable_bytes;
  std::string basis =
      made.page_locked_bytes == 0
          ? "nothing is streamed"
          : fmt::format(
                "of the host: what is streamed stands there once; {} B may be, nine tenths of "
                "what is available{}",
                reports::with_separators(made.pinnable_bytes),
                is_held ? "" : ", so files are streamed through a ring of pieces instead");
  return ledger{made.plan, std::move(made.terms),
                engine::plan_term{"page-locked memory", made.page_locked_bytes, std::move(basis)}};
}

result<ledger> plan_of(const plan_flags& flags) {
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  if (!flags.arena.empty()) {
    ASSAY_TRY_ASSIGN(options.arena_bytes, parse_limit_bytes("--arena", flags.arena));
  }
  ASSAY_TRY(set_memory(options, flags.memory));
  const std::filesystem::path folder = flags.checkpoint;
  ASSAY_TRY_ASSIGN(const checkpoint_seen seen, look_at_checkpoint(folder));
  engine::engine_options wanted{options.context_tokens,
                                static_cast<std::uint32_t>(options.page_tokens)};
  if (flags.is_on_gpu()) return gpu_plan_of(flags, options, wanted);
  ASSAY_TRY_ASSIGN(const auto files, checkpoint::weight_files::open(folder));
  if (options.vram_limit) {
    ASSAY_TRY_ASSIGN(wanted.memory_limit_bytes, options.vram_limit->bytes_of(options.arena_bytes));
  }
  ASSAY_TRY_ASSIGN(engine::memory_plan made,
                   engine::plan_memory(seen.config, files, wanted, options.arena_bytes));
  std::vector<engine::plan_term> terms = engine::terms_of(made);
  return ledger{std::move(made), std::move(terms), std::nullopt};
}

std::string as_text(const ledger& of) {
  const engine::memory_plan& plan = of.plan;
  std::string text =
      fmt::format("device memory {} B, limit {}, context of {} tokens\n\n{:<22}{:>18}  basis\n",
                  reports::with_separators(plan.device_bytes),
                  plan.limit_bytes ? reports::with_separators(*plan.limit_bytes) + " B" : "none",
                  plan.context_tokens, "term", "bytes");
  const auto line = [](const engine::plan_term& term) {
    return fmt::format("{:<22}{:>18}  {}\n", term.name,
                       term.bytes ? reports::with_separators(*term.bytes) : "unknown", term.basis);
  };
  for (const engine::plan_term& term : of.terms) text += line(term);
  text += line({"total", plan.total_bytes(), "of what is known"});
  if (of.of_host) text += line(*of.of_host);
  text +=
      fmt::format("\na step reads {} B of weights; ", reports::with_separators(plan.step_bytes));
  if (plan.limit_bytes && !plan.placed) return text + "the limit does not hold a step\n";
  text += fmt::format("{} B of them stay, {} B are streamed in each step\n",
                      reports::with_separators(plan.resident_bytes),
                      reports::with_separators(plan.streamed_bytes()));
  return text + fmt::format("the least limit that a step runs with: {} B\n",
                            reports::with_separators(plan.least_limit_bytes));
}

nlohmann::ordered_json as_row(const engine::plan_term& term) {
  nlohmann::ordered_json row;
  row["name"] = term.name;
  row["bytes"] = term.bytes ? nlohmann::ordered_json(*term.bytes) : nullptr;
  row["basis"] = term.basis;
  return row;
}

std::string as_json(const ledger& of) {
  const engine::memory_plan& plan = of.plan;
  nlohmann::ordered_json root;
  root["device_bytes"] = plan.device_bytes;
  root["limit_bytes"] = plan.limit_bytes ? nlohmann::ordered_json(*plan.limit_bytes) : nullptr;
  root["context_tokens"] = plan.context_tokens;
  root["terms"] = nlohmann::ordered_json::array();
  for (const engine::plan_term& term : of.terms) root["terms"].push_back(as_row(term));
  root["total_known_bytes"] = plan.total_bytes();
  if (of.of_host) root["host"] = as_row(*of.of_host);
  root["step_bytes"] = plan.step_bytes;
  const bool holds = !plan.limit_bytes || plan.placed;
  root["holds_a_step"] = holds;
  root["resident_bytes"] = holds ? nlohmann::ordered_json(plan.resident_bytes) : nullptr;
  root["streamed_bytes_per_step"] = holds ? nlohmann::ordered_json(plan.streamed_bytes()) : nullptr;
  root["least_limit_bytes"] = plan.least_limit_bytes;
  return root.dump(2) + "\n";
}

// A plan that does not hold is printed all the same: it says by how much.
result<void> plan(const plan_flags& flags) {
  ASSAY_TRY_ASSIGN(const ledger made, plan_of(flags));
  ASSAY_TRY(write_to_stdout(flags.is_json ? as_json(made) : as_text(made)));
  if (made.plan.limit_bytes) return engine::check_plan(made.plan);
  return {};
}

}  // namespace

void add_plan_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<plan_flags>();
  CLI::App* verb = app.add_subcommand(
      "plan", "What a run will take of the device's memory, term by term; loads no weight");
  verb->add_option("CHECKPOINT", flags->checkpoint, "Checkpoint folder")->required();
  verb->add_option("--arena", flags->arena, arena_help);
  verb->add_option("--vram-limit", flags->memory.vram_limit, vram_limit_help);
  verb->add_option("--context", flags->memory.context_tokens, context_help)
      ->check(whole_number(1, std::numeric_limits<std::uint32_t>::max()));
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->add_option("--device", flags->device, "host or cuda: the first GPU, which is asked")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  verb->add_flag("--json", flags->is_json, "As JSON, base units");
  verb->callback([flags, &action] {
    action = [flags] {
      const auto outcome = plan(*flags);
      return outcome ? exit_code::clean : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
