// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Each knob of the table flipped there and back, within one process: a value that was read once and
// kept stays as it was, and is caught.
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "harness/cli/audited_run.h"
#include "harness/cli/examination.h"
#include "harness/cli/no_sink.h"
#include "harness/cli/project_guard.h"
#include "runtime/device/host_cores.h"
#include "runtime/ops/isa.h"
#include "runtime/telemetry/catalog.h"
#include "runtime/telemetry/knobs.h"
#include "scenarios/decode_scenario.h"

namespace assay::cli {
namespace {

constexpr std::string_view by_doctor = "doctor: ";

// "host.spin_ns 20000, host.threads 2" → "20000".
result<std::string> word_behind(std::string_view name, std::string_view detail) {
  const std::size_t at = detail.find(std::string(name) + " ");
  if (at == std::string_view::npos)
    return ASSAY_FAIL(internal, fmt::format("doctor prints no {}", name));
  const std::string_view rest = detail.substr(at + name.size() + 1);
  return std::string(rest.substr(0, rest.find(',')));
}

result<std::string> counter_after_a_run(std::string_view name) {
  const auto id = telemetry::find_counter(name);
  if (!id) return ASSAY_FAIL(internal, fmt::format("{} is no counter", name));
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  options.scenario = scenarios::single_prompt("In the beginning", 2);
  selftest::instrument honest;
  no_sink nowhere;
  const track only{&honest, &nowhere};
  ASSAY_TRY(audited_run(options, {&only, 1}, [](std::string_view) {}));
  const auto reading = honest.readings().read(*id);
  if (!reading.has_value()) return ASSAY_FAIL(internal, fmt::format("{} has no number", name));
  return fmt::format("{}", reading.integer());
}

result<std::string> effect_of(const telemetry::knob& knob) {
  if (!knob.moves.starts_with(by_doctor)) return counter_after_a_run(knob.moves);
  for (const ability& each : examine_references())
    if (each.what == "host device")
      return word_behind(knob.moves.substr(by_doctor.size()), each.detail);
  return ASSAY_FAIL(internal, "doctor does not look at the host device");
}

// Not the default, and one that every machine can have.
std::string other_value(const telemetry::knob& knob) {
  switch (knob.id) {
    case telemetry::knob_id::host_threads:
    case telemetry::knob_id::host_isa:
      return "1";
    default:
      return fmt::format("{}", std::stoll(std::string(knob.default_value)) / 2);
  }
}

std::string unshowable(const telemetry::knob& knob) {
  if (knob.id == telemetry::knob_id::host_threads && device::usable_cores() < 2)
    return "this process may use one core, and one thread is all that there can be";
  if (knob.id == telemetry::knob_id::host_isa && ops::isa_in_force() == ops::isa::portable)
    return "this processor has the portable instruction set alone";
  return {};
}

void keep(const result<std::string>& effect, std::string& into, std::string& failure) {
  if (effect)
    into = *effect;
  else if (failure.empty())
    failure = effect.error().message;
}

}  // namespace

std::vector<guard::knob_facts> flip_knobs() {
  std::vector<guard::knob_facts> all;
  for (const telemetry::knob& knob : telemetry::knobs()) {
    const std::string variable(knob.variable);
    unsetenv(variable.c_str());
    guard::knob_facts& facts = all.emplace_back();
    facts.variable = variable;
    facts.moves = knob.moves;
    keep(effect_of(knob), facts.before, facts.failure);
    facts.unshowable = unshowable(knob);
    setenv(variable.c_str(), other_value(knob).c_str(), 1);
    keep(effect_of(knob), facts.flipped, facts.failure);
    unsetenv(variable.c_str());
    keep(effect_of(knob), facts.after, facts.failure);
  }
  return all;
}

}  // namespace assay::cli
