// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay decode: a prompt in, text out as it comes. No audit; the figures at the end are claims.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/audited_run.h"
#include "harness/cli/checkpoint_look.h"
#include "harness/cli/decode_counts.h"
#include "harness/cli/decode_memory.h"
#include "harness/cli/gpu_decode.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/memory_flags.h"
#include "harness/cli/output_file.h"
#include "harness/cli/paging_claims.h"
#include "harness/cli/quantity_flag.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "runtime/telemetry/knobs.h"
#include "runtime/telemetry/registry.h"
#include "runtime/tokenizer/tokenizer.h"
#include "scenarios/decode_scenario.h"
#include "scenarios/embedded.h"
#include "scenarios/gpu_ledger.h"
#include "scenarios/ledger.h"
#include "scenarios/paging_ledger.h"

namespace assay::cli {
namespace {

using id = telemetry::counter_id;

struct decode_flags {
  std::string checkpoint = scenarios::embedded_checkpoint().string();
  std::string prompt = "In the beginning";
  std::uint32_t max_new_tokens = 64;
  double temperature = 0.0;
  std::uint64_t seed = 0;
  std::string arena;
  std::string vram_limit;
  std::uint32_t context_tokens = 0;
  std::string device = "host";
  bool is_counting = false;
};

/// Steps that a GPU takes with one wait: few enough to read along, many enough that the wait does
/// not show. The host's engine waits for each.
constexpr std::uint32_t steps_together = 16;

// Text goes to stdout as it comes, so a run that is interrupted keeps what it had.
result<void> stream_tokens(engine::decode_engine& engine, const tokenizer::tokenizer& tokenizer) {
  tokenizer::stream_decoder decoder(tokenizer);
  ASSAY_TRY_ASSIGN(const engine::step_result first, engine.prefill());
  std::vector<engine::step_result> steps{first};
  while (true) {
    for (const engine::step_result& step : steps)
      ASSAY_TRY(write_to_stdout(decoder.push(step.token)));
    if (steps.back().stopped != engine::stop_reason::none || is_interrupted()) break;
    ASSAY_TRY_ASSIGN(steps, engine.decode_steps(steps_together));
  }
  ASSAY_TRY(write_to_stdout(decoder.finish() + "\n"));
  if (steps.back().stopped == engine::stop_reason::none)
    return ASSAY_FAIL(interrupted, "interrupted before the text's end; what came is on stdout");
  return {};
}

// The text has arrived by now: a stderr that takes nothing does not undo that.
void tell(const std::string& claims) {
  std::fputs(claims.c_str(), stderr);
}

void print_claims(const telemetry::registry& counters, const engine::decode_engine& engine) {
  const auto ms = [&](id counter) {
    return static_cast<double>(counters.read(counter).integer()) / 1e6;
  };
  const std::int64_t steps = counters.read(id::engine_decode_steps_count).integer();
  tell(fmt::format("claimed, not audited: {} prompt tokens, TTFT {:.2f} ms",
                   counters.read(id::engine_prompt_tokens).integer(), ms(id::engine_ttft_ns)));
  if (steps > 0)
    tell(fmt::format(", {} decode steps, ITL {:.3f} ms mean, {:.0f} tok/s (prompt not counted)",
                     steps, ms(id::engine_itl_ns) / static_cast<double>(steps),
                     counters.read(id::engine_decode_tokens_per_s).real()));
  tell(fmt::format("\nclaimed, not audited: weights {:.0f} MB in {:.1f} ms, load {:.1f} ms\n",
                   static_cast<double>(counters.read(id::weights_h2d_bytes).integer()) / 1e6,
                   ms(id::weights_h2d_ns), ms(id::checkpoint_load_ns)));
  for (const engine::engine_fact& each : engine.facts())
    tell(fmt::format("{}: {}\n", each.name, each.words));
}

result<void> print_paging(const telemetry::registry& counters, const decode_flags& flags,
                          const scenarios::model_shape& model, const opened_engine& opened,
                          std::int64_t prompt_tokens) {
  ASSAY_TRY_ASSIGN(const std::int64_t page_tokens,
                   telemetry::knob_value(telemetry::knob_id::kv_page_tokens));
  const std::int64_t context =
      flags.context_tokens == 0 ? model.max_context_tokens : std::int64_t{flags.context_tokens};
  const scenarios::cache_shape cache{context, page_tokens};
  const std::int64_t steps = counters.read(id::engine_decode_steps_count).integer();
  const bool is_gpu = flags.device == "cuda";
  const auto expected =
      is_gpu ? scenarios::gpu_paging_of(model, cache, opened.limit, opened.has_passes)
             : scenarios::paging_of(model, cache, opened.limit);
  if (!expected) return ASSAY_FAIL(internal, "the ledger finds no room for a step that ran");
  if (!is_gpu) {
    tell(paging_claims(counters, *expected, 1 + steps, 0));
    return {};
  }
  const scenarios::gpu_mode mode{.has_passes = opened.has_passes, .paging = expected};
  const scenarios::request_shape shape{prompt_tokens, steps};
  tell(paging_claims(counters, *expected, scenarios::gpu_parts(shape, mode),
                     scenarios::gpu_headless_parts(shape, mode)));
  return {};
}

// Where nobody says how much memory there is: what one request needs of it.
result<void> fit_to_request(const decode_flags& flags, std::size_t prompt_tokens,
                            const checkpoint_seen& seen, engine::engine_options& wanted,
                            run_options& options) {
  if (wanted.context_tokens == 0)
    wanted.context_tokens = context_for_request(seen.config, prompt_tokens, flags.max_new_tokens);
  if (!flags.arena.empty() || telemetry::is_knob_set(telemetry::knob_id::host_arena_bytes))
    return {};
  ASSAY_TRY_ASSIGN(const std::uint64_t needed_bytes, arena_for(seen, wanted));
  options.arena_bytes = std::max(options.arena_bytes, needed_bytes);
  return {};
}

result<opened_engine> open_engine(const decode_flags& flags, const checkpoint_seen& seen,
                                  std::size_t prompt_tokens, telemetry::registry& counters) {
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  const bool is_gpu = flags.device == "cuda";
  if (is_gpu) {
    options.device = telemetry::device_class::cuda;
    options.arena_bytes = 0;  // the knob is the host's
  }
  if (!flags.arena.empty()) {
    ASSAY_TRY_ASSIGN(options.arena_bytes, parse_limit_bytes("--arena", flags.arena));
  }
  engine::engine_options wanted{flags.context_tokens,
                                static_cast<std::uint32_t>(options.page_tokens)};
  ASSAY_TRY(set_memory(options, {flags.vram_limit, flags.context_tokens}));
  if (is_gpu)
    return open_on_gpu(flags.checkpoint, {options.arena_bytes, options.vram_limit}, counters,
                       wanted);
  if (options.vram_limit) {
    ASSAY_TRY_ASSIGN(wanted.memory_limit_bytes, options.vram_limit->bytes_of(options.arena_bytes));
    // The device has no byte more than the limit: what would exceed it is refused where it is
    // asked.
    options.arena_bytes = *wanted.memory_limit_bytes;
  } else {
    ASSAY_TRY(fit_to_request(flags, prompt_tokens, seen, wanted, options));
  }
  ASSAY_TRY_ASSIGN(auto device, device::host_device::create(
                                    {options.arena_bytes, options.spin_ns, options.threads}));
  ASSAY_TRY_ASSIGN(auto made, engine::engine::load(flags.checkpoint, *device, counters, wanted));
  const auto limit = static_cast<std::int64_t>(options.arena_bytes);
  return opened_engine{std::move(device), std::move(made), {limit, 0}};
}

result<void> decode(const decode_flags& flags) {
  const std::filesystem::path folder = flags.checkpoint;
  ASSAY_TRY_ASSIGN(const checkpoint_seen seen, look_at_checkpoint(folder));
  tell(unused_tensors_note(seen.unused_tensors));
  tell(unapplied_keys_note(seen.unapplied_keys));
  telemetry::registry counters;
  ASSAY_TRY_ASSIGN(auto tokenizer, tokenizer::tokenizer::load(folder / "tokenizer.json", counters));
  const std::vector<std::int32_t> prompt = tokenizer.encode(flags.prompt);
  // Before the run: the closed form is of the files that are loaded, whatever their names lead to
  // when it has ended.
  std::optional<scenarios::model_shape> model;
  if (!flags.vram_limit.empty()) {
    ASSAY_TRY_ASSIGN(model, scenarios::read_model_shape(folder));
  }
  ASSAY_TRY_ASSIGN(const opened_engine opened, open_engine(flags, seen, prompt.size(), counters));
  ASSAY_TRY(opened.engine->begin_request(
      prompt, {flags.max_new_tokens, flags.temperature, flags.seed, true}));
  ASSAY_TRY(stream_tokens(*opened.engine, tokenizer));
  print_claims(counters, *opened.engine);
  if (model)
    ASSAY_TRY(
        print_paging(counters, flags, *model, opened, static_cast<std::int64_t>(prompt.size())));
  return opened.engine->end_request();
}

// The prompts on record of the embedded checkpoint, or the one prompt on another.
result<void> count(const decode_flags& flags) {
  if (flags.device == "cuda")
    return ASSAY_FAIL(usage, "--counts: counts on the host device; leave --device out");
  if (!flags.vram_limit.empty() || flags.context_tokens != 0 || flags.temperature != 0.0)
    return ASSAY_FAIL(usage,
                      "--counts: counts greedy runs in all of the memory; leave out --vram-limit, "
                      "--context and --temperature");
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  options.checkpoint = flags.checkpoint;
  ASSAY_TRY(look_at_checkpoint(options.checkpoint));
  if (options.checkpoint == scenarios::embedded_checkpoint()) {
    ASSAY_TRY_ASSIGN(options.scenario, scenarios::embedded_scenario(options.checkpoint));
  } else {
    options.scenario = scenarios::single_prompt(flags.prompt, flags.max_new_tokens);
  }
  if (!flags.arena.empty()) {
    ASSAY_TRY_ASSIGN(options.arena_bytes, parse_limit_bytes("--arena", flags.arena));
  }
  ASSAY_TRY_ASSIGN(const std::string counts, decode_counts_as_json(options));
  return write_to_stdout(counts);
}

}  // namespace

void add_decode_verb(CLI::App& app, verb_action& action) {
  auto flags = std::make_shared<decode_flags>();
  CLI::App* verb = app.add_subcommand("decode", "Continue a prompt; text on stdout as it comes");
  verb->add_option("--checkpoint", flags->checkpoint, "Checkpoint folder (default: embedded)");
  verb->add_option("--prompt", flags->prompt, "Text to continue")->capture_default_str();
  verb->add_option("--max-new-tokens", flags->max_new_tokens, "Stop after that many tokens")
      ->check(whole_number(1, std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  verb->add_option("--temperature", flags->temperature, "0 is greedy")
      ->check(finite_number())
      ->capture_default_str();
  verb->add_option("--seed", flags->seed, "Of the sampling generator")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  verb->add_option(
      "--arena", flags->arena,
      std::string(arena_help) +
          " (default: what the request needs, where ASSAY_HOST_ARENA_BYTES sets no limit)");
  verb->add_option("--vram-limit", flags->vram_limit, vram_limit_help);
  verb->add_option("--context", flags->context_tokens,
                   "Tokens that the KV pages hold (default: prompt and --max-new-tokens; with "
                   "--vram-limit or on a GPU all that the model was made for)")
      ->check(whole_number(1, std::numeric_limits<std::uint32_t>::max()));
  verb->add_option("--device", flags->device, "host or cuda: the first GPU")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  for (CLI::Option* option : verb->get_options()) option->check(not_empty());
  verb->add_flag("--counts", flags->is_counting,
                 "No text: what the scenario counts, as JSON for assay compare");
  verb->callback([flags, &action] {
    action = [flags] {
      catch_interrupts();
      const auto outcome = flags->is_counting ? count(*flags) : decode(*flags);
      return outcome ? exit_code::clean : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
