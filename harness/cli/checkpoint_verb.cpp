// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay checkpoint synth: random weights in the shape of a real model.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "harness/cli/interrupt.h"
#include "harness/cli/quantity_flag.h"
#include "harness/cli/terminal.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "scenarios/synth/synth.h"

namespace assay::cli {
namespace {

struct synth_flags {
  std::string shape;
  std::uint64_t seed = 1;
  std::string out;
};

result<void> synthesize(const synth_flags& flags) {
  ASSAY_TRY_ASSIGN(const synth::shape shape, synth::find_shape(flags.shape));
  const progress tell = progress_on_stderr();
  std::uint64_t told_percent = std::numeric_limits<std::uint64_t>::max();
  const auto watch = [&](std::uint64_t written, std::uint64_t total) -> result<void> {
    if (is_interrupted())
      return ASSAY_FAIL(interrupted, "interrupted: what was written is taken away again");
    const std::uint64_t percent = written * 100 / total;
    if (percent == told_percent) return {};
    told_percent = percent;
    tell(fmt::format("writing {}: {} % of {} bytes", flags.out, percent, total));
    return {};
  };
  auto outcome = synth::write_checkpoint(shape, flags.seed, flags.out, watch);
  tell("");
  return outcome;
}

std::string names_of_shapes() {
  std::string names;
  for (const synth::shape& each : synth::shapes())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  return names;
}

}  // namespace

void add_checkpoint_verb(CLI::App& app, verb_action& action) {
  CLI::App* checkpoint = app.add_subcommand("checkpoint", "Make a checkpoint");
  checkpoint->require_subcommand(1);
  auto flags = std::make_shared<synth_flags>();
  CLI::App* verb =
      checkpoint->add_subcommand("synth", "Write random weights in the shape of a real model");
  verb->add_option("--shape", flags->shape, "One of " + names_of_shapes())
      ->required()
      ->check(not_empty());
  verb->add_option("--seed", flags->seed, "Of the weights; the same seed, the same bytes")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  verb->add_option("OUT", flags->out, "Folder to make; nothing is overwritten")
      ->required()
      ->check(not_empty());
  verb->callback([flags, &action] {
    action = [flags] {
      catch_interrupts();
      const auto outcome = synthesize(*flags);
      return outcome ? exit_code::clean : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
