// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay plan: what a run will take of the device, from headers and config, before it is loaded.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/checkpoint_look.h"
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
  bool is_json = false;
};

result<engine::memory_plan> plan_of(const plan_flags& flags) {
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  if (!flags.arena.empty()) {
    ASSAY_TRY_ASSIGN(options.arena_bytes, parse_limit_bytes("--arena", flags.arena));
  }
  ASSAY_TRY(set_memory(options, flags.memory));
  const std::filesystem::path folder = flags.checkpoint;
  ASSAY_TRY_ASSIGN(const checkpoint_seen seen, look_at_checkpoint(folder));
  ASSAY_TRY_ASSIGN(const auto files, checkpoint::weight_files::open(folder));
  engine::engine_options wanted{options.context_tokens,
                                static_cast<std::uint32_t>(options.page_tokens)};
  if (options.vram_limit) {
    ASSAY_TRY_ASSIGN(wanted.memory_limit_bytes, options.vram_limit->bytes_of(options.arena_bytes));
  }
  return engine::plan_memory(seen.config, files, wanted, options.arena_bytes);
}

std::string as_text(const engine::memory_plan& plan) {
  std::string text =
      fmt::format("device memory {} B, limit {}, context of {} tokens\n\n{:<22}{:>18}  basis\n",
                  reports::with_separators(plan.device_bytes),
                  plan.limit_bytes ? reports::with_separators(*plan.limit_bytes) + " B" : "none",
                  plan.context_tokens, "term", "bytes");
  for (const engine::plan_term& term : engine::terms_of(plan))
    text += fmt::format("{:<22}{:>18}  {}\n", term.name,
                        term.bytes ? reports::with_separators(*term.bytes) : "unknown", term.basis);
  text += fmt::format("{:<22}{:>18}  of what is known\n", "total",
                      reports::with_separators(plan.total_bytes()));
  text +=
      fmt::format("\na step reads {} B of weights; ", reports::with_separators(plan.step_bytes));
  if (plan.limit_bytes && !plan.placed) return text + "the limit does not hold a step\n";
  text += fmt::format("{} B of them stay, {} B are streamed in each step\n",
                      reports::with_separators(plan.resident_bytes),
                      reports::with_separators(plan.streamed_bytes()));
  return text + fmt::format("the least limit that a step runs with: {} B\n",
                            reports::with_separators(plan.least_limit_bytes));
}

std::string as_json(const engine::memory_plan& plan) {
  nlohmann::ordered_json root;
  root["device_bytes"] = plan.device_bytes;
  root["limit_bytes"] = plan.limit_bytes ? nlohmann::ordered_json(*plan.limit_bytes) : nullptr;
  root["context_tokens"] = plan.context_tokens;
  root["terms"] = nlohmann::ordered_json::array();
  for (const engine::plan_term& term : engine::terms_of(plan)) {
    nlohmann::ordered_json row;
    row["name"] = term.name;
    row["bytes"] = term.bytes ? nlohmann::ordered_json(*term.bytes) : nullptr;
    row["basis"] = term.basis;
    root["terms"].push_back(row);
  }
  root["total_known_bytes"] = plan.total_bytes();
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
  ASSAY_TRY_ASSIGN(const engine::memory_plan made, plan_of(flags));
  ASSAY_TRY(write_to_stdout(flags.is_json ? as_json(made) : as_text(made)));
  if (made.limit_bytes) return engine::check_plan(made);
  return {};
}

}  // namespace

void add_plan_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<plan_flags>();
  CLI::App* verb = app.add_subcommand(
      "plan", "What a run will take of the host device's memory, term by term; loads nothing");
  verb->add_option("CHECKPOINT", flags->checkpoint, "Checkpoint folder")->required();
  verb->add_option("--arena", flags->arena, arena_help);
  verb->add_option("--vram-limit", flags->memory.vram_limit, vram_limit_help);
  verb->add_option("--context", flags->memory.context_tokens, context_help)
      ->check(whole_number(1, std::numeric_limits<std::uint32_t>::max()));
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->add_flag("--json", flags->is_json, "As JSON, base units");
  verb->callback([flags, &action] {
    action = [flags] {
      const auto outcome = plan(*flags);
      return outcome ? exit_code::clean : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
