// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_conditions.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/build_id.h"
#include "harness/cli/host_facts.h"
#include "probes/process/host_account.h"
#include "scenarios/product_ledger.h"
#include "scenarios/step_plan.h"

namespace assay::cli {
namespace {

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown: /proc/cpuinfo names none";
}

std::string kernel_name() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {}", name.sysname, name.release) : "unknown";
}

// A reading that this machine does not offer says so in its place.
std::string load_words() {
  const auto load = probes::load_average_1min();
  return load ? fmt::format("{:.2f}", *load) : load.error().message;
}

trace::run_facts facts_of(const run_options& options, const run_backend& backend) {
  trace::run_facts facts;
  backend.describe(facts);
  facts.add_fact("processor", processor_name());
  facts.add_fact("cores", fmt::format("{}", sysconf(_SC_NPROCESSORS_ONLN)));
  facts.add_fact("kernel", kernel_name());
  facts.add_fact("compiler", __VERSION__);
  facts.add_fact("build id", build_id());
  for (const trace::named_fact& each : flag_facts()) facts.facts.push_back(each);
  facts.add_fact("checkpoint", options.checkpoint.string());
  facts.add_fact("scenario", options.scenario.name);
  facts.add_fact("requests", fmt::format("{}", options.scenario.requests.size()));
  facts.add_fact("max new tokens", fmt::format("{}", options.scenario.max_new_tokens));
  facts.add_fact("KV page", fmt::format("{} tokens", options.page_tokens));
  if (options.context_tokens != 0)
    facts.add_fact("context", fmt::format("{} tokens", options.context_tokens));
  if (options.vram_limit) facts.add_fact("weights", "streamed where the limit leaves no room");
  facts.add_fact("load average before", load_words());
  return facts;
}

}  // namespace

result<run_conditions> run_conditions::open(const run_options& options, run_backend& backend) {
  run_conditions conditions(backend);
  conditions.before_ = facts_of(options, backend);
  conditions.settings_before_ = setting_facts();
  for (const trace::named_fact& each : conditions.settings_before_)
    conditions.before_.facts.push_back(each);
  ASSAY_TRY_ASSIGN(conditions.wall_before_, probes::read_wall());
  ASSAY_TRY_ASSIGN(conditions.steal_ticks_before_, probes::steal_ticks());
  return conditions;
}

std::string run_conditions::facts_of_ceilings(const run_backend& backend) {
  trace::run_facts facts;
  facts.ceilings = backend.ceilings();
  facts.arithmetic = backend.arithmetic_ceilings();
  return trace::to_json(facts);
}

std::string run_conditions::facts_of_traffic(const planned_run& of, bool is_exact) {
  const scenarios::expected_traffic traffic =
      scenarios::traffic_of(of.model, of.cache, of.requests, of.on_gpu, of.paging);
  const std::string_view words = is_exact ? "expected" : "at most expected";
  constexpr std::size_t most_requests = 8192;  // more would not fit a block of the trace
  trace::run_facts facts;
  if (of.requests.size() <= most_requests)
    facts.requests = scenarios::plan_requests(of.model, of.requests, of.on_gpu);
  const auto add = [&](std::string_view what, std::int64_t bytes) {
    facts.add_fact(fmt::format("{} {}", words, what), fmt::format("{} bytes", bytes));
  };
  add("weight reads", traffic.weight_read_bytes);
  add("KV reads", traffic.kv_read_bytes);
  add("KV appends", traffic.kv_append_bytes);
  add("h2d after the load", traffic.h2d_bytes);
  add("d2h", traffic.d2h_bytes);
  return trace::to_json(facts);
}

std::string run_conditions::facts_of_shape(const scenarios::model_shape& model,
                                           telemetry::device_class on) {
  trace::run_facts facts;
  facts.bases.push_back({"layers", static_cast<double>(model.layers)});
  facts.step_plan = on == telemetry::device_class::cuda ? scenarios::gpu_step_plan(model)
                                                        : scenarios::host_step_plan(model);
  return trace::to_json(facts);
}

std::string run_conditions::facts_of_engine(std::span<const engine::engine_fact> of) {
  trace::run_facts facts;
  for (const engine::engine_fact& each : of) facts.add_fact(each.name, each.words);
  return trace::to_json(facts);
}

double run_conditions::copy_ceiling_bytes_per_s(std::span<const trace::link_ceiling> ceilings,
                                                telemetry::device_class on) {
  const auto link = on == telemetry::device_class::cuda ? telemetry::link_class::pcie
                                                        : telemetry::link_class::host_memcpy;
  for (const trace::link_ceiling& each : ceilings)
    if (each.link == link) return each.soft_bytes_per_s;
  return 0.0;
}

std::string run_conditions::facts_after(const run_backend& backend, const given_ids& given) const {
  trace::run_facts after;
  after.ceilings = backend.ceilings();
  after.arithmetic = backend.arithmetic_ceilings();
  after.absent_conditions = watch_.absent();
  after.add_fact("token ids", fmt::format("{} ids, {:016x}", given.count, given.digest.value()));
  after.add_fact("load average after", load_words());
  for (trace::named_fact& each : changed_settings(settings_before_, setting_facts()))
    after.facts.push_back(std::move(each));
  if (const auto steal = probes::steal_ticks())
    after.add_fact("stolen by the hypervisor",
                   fmt::format("{} ticks", *steal - steal_ticks_before_));
  if (const auto wall = probes::read_wall()) {
    if (const auto rate = probes::ticks_per_s(wall_before_, *wall))
      after.clocks.push_back({"processor's counter", *rate});
    const std::int64_t step_ns = probes::wall_step_ns(wall_before_, *wall);
    if (step_ns != 0)
      after.notes.push_back(
          fmt::format("The wall clock was set by {} ns during the run.", step_ns));
  }
  return trace::to_json(after);
}

}  // namespace assay::cli
