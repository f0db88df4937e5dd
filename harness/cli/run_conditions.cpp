// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_conditions.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/build_id.h"
#include "probes/process/host_account.h"
#include "scenarios/ledger.h"

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

telemetry::link_class class_of(assay_link link) {
  switch (link) {
    case ASSAY_LINK_HOST_MEMCPY:
      return telemetry::link_class::host_memcpy;
    case ASSAY_LINK_HOST_READ:
      return telemetry::link_class::host_read;
    case ASSAY_LINK_PCIE:
      return telemetry::link_class::pcie;
  }
  return telemetry::link_class::none;
}

// Where the probe has no figure, its reason goes along with the zero that stands for none.
trace::link_ceiling row_of(const probes::link_ceiling& from) {
  trace::link_ceiling row;
  row.link = class_of(from.link);
  row.soft_bytes_per_s = from.soft_bytes_per_s.value_or(0.0);
  row.hard_bytes_per_s = from.hard_bytes_per_s.value_or(0.0);
  row.reason = from.reason;
  if (!from.soft_bytes_per_s) row.reason += "; " + from.soft_bytes_per_s.error().message;
  if (!from.hard_bytes_per_s) row.reason += "; " + from.hard_bytes_per_s.error().message;
  return row;
}

trace::run_facts facts_of(const run_options& options) {
  trace::run_facts facts;
  facts.add_fact("device", "host executor");
  facts.add_fact("processor", processor_name());
  facts.add_fact("cores", fmt::format("{}", sysconf(_SC_NPROCESSORS_ONLN)));
  facts.add_fact("kernel", kernel_name());
  facts.add_fact("compiler", __VERSION__);
  facts.add_fact("build id", build_id());
  facts.add_fact("checkpoint", options.checkpoint.string());
  facts.add_fact("scenario", options.scenario.name);
  facts.add_fact("requests", fmt::format("{}", options.scenario.requests.size()));
  facts.add_fact("max new tokens", fmt::format("{}", options.scenario.max_new_tokens));
  facts.add_fact("arena limit", fmt::format("{} bytes", options.arena_bytes));
  facts.add_fact("KV page", fmt::format("{} tokens", options.page_tokens));
  facts.add_fact("spin", fmt::format("{} ns", options.spin_ns));
  facts.add_fact("load average before", load_words());
  return facts;
}

}  // namespace

result<run_conditions> run_conditions::open(const run_options& options) {
  run_conditions conditions;
  conditions.before_ = facts_of(options);
  ASSAY_TRY_ASSIGN(conditions.wall_before_, probes::read_wall());
  ASSAY_TRY_ASSIGN(conditions.steal_ticks_before_, probes::steal_ticks());
  ASSAY_TRY_ASSIGN(const auto model, scenarios::read_model_shape(options.checkpoint));
  const auto weights_bytes = static_cast<std::uint64_t>(scenarios::weight_bytes(model));
  ASSAY_TRY_ASSIGN(conditions.link_,
                   probes::link_probe::create({.read_working_set_bytes = weights_bytes}));
  return conditions;
}

result<void> run_conditions::watch_workers(const device::host_device& device) {
  std::vector<probes::watched_thread> threads{
      {probes::tid_of_this_thread(), probes::thread_role::main}};
  for (const std::uint32_t tid : device.worker_tids())
    threads.push_back({tid, probes::thread_role::stream_worker});
  ASSAY_TRY_ASSIGN(auto probe, probes::thread_probe::open(threads));
  workers_ = std::make_unique<probes::thread_probe>(std::move(probe));
  return {};
}

result<void> run_conditions::sample(trace::sink& to) {
  return workers_->sample(to);
}

std::string run_conditions::facts_after() const {
  trace::run_facts after;
  for (const probes::link_ceiling& each : link_->ceilings()) after.ceilings.push_back(row_of(each));
  after.add_fact("load average after", load_words());
  if (const auto steal = probes::steal_ticks())
    after.add_fact("stolen by the hypervisor",
                   fmt::format("{} ticks", *steal - steal_ticks_before_));
  if (const auto wall = probes::read_wall()) {
    const std::int64_t step_ns = probes::wall_step_ns(wall_before_, *wall);
    if (step_ns != 0)
      after.notes.push_back(
          fmt::format("The wall clock was set by {} ns during the run.", step_ns));
  }
  return trace::to_json(after);
}

}  // namespace assay::cli
