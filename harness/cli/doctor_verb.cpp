// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay doctor: what can be measured on this machine, and why the rest cannot.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/build_id.h"
#include "harness/cli/host_choice.h"
#include "harness/cli/output_file.h"
#include "harness/cli/verbs.h"
#include "probes/link/link_probe.h"
#include "probes/process/clock_probe.h"
#include "probes/process/host_account.h"
#include "probes/process/thread_probe.h"
#include "probes/trace/sink.h"
#include "runtime/device/host_device.h"
#include "runtime/ops/isa.h"
#include "runtime/telemetry/catalog.h"
#include "runtime/telemetry/knobs.h"

namespace assay::cli {
namespace {

// One line: what, whether it can be had, and the figure or the reason.
struct ability {
  std::string what;
  bool is_there = false;
  std::string detail;
};

ability of(std::string what, const result<std::string>& found) {
  return {std::move(what), found.has_value(), found ? *found : found.error().message};
}

result<std::string> clock_words() {
  const std::int64_t start_ns = host_now().ns;
  constexpr int reads = 1000;
  for (int i = 0; i < reads; ++i) static_cast<void>(host_now());
  return fmt::format("CLOCK_MONOTONIC, {} ns a read", (host_now().ns - start_ns) / reads);
}

result<std::string> account_words() {
  const probes::watched_thread self[]{{probes::tid_of_this_thread(), probes::thread_role::main}};
  ASSAY_TRY_ASSIGN(const auto probe, probes::thread_probe::open(self));
  ASSAY_TRY_ASSIGN(const auto account, probe.read(0));
  return fmt::format("this thread ran {} us and waited {} us for a core", account.run_ns / 1000,
                     account.wait_ns / 1000);
}

result<std::string> steal_words() {
  ASSAY_TRY_ASSIGN(const std::int64_t ticks, probes::steal_ticks());
  return fmt::format("{} ticks taken by the hypervisor since boot", ticks);
}

result<std::string> wall_words() {
  ASSAY_TRY_ASSIGN(const auto wall, probes::read_wall());
  return fmt::format("CLOCK_REALTIME beside CLOCK_MONOTONIC_RAW, read within {} ns",
                     wall.bracket_ns);
}

result<std::string> device_words() {
  ASSAY_TRY_ASSIGN(const std::int64_t arena_bytes,
                   telemetry::knob_value(telemetry::knob_id::host_arena_bytes));
  ASSAY_TRY_ASSIGN(const std::int64_t spin_ns,
                   telemetry::knob_value(telemetry::knob_id::host_spin_ns));
  ASSAY_TRY_ASSIGN(const std::uint32_t threads, host_threads());
  ASSAY_TRY(use_host_isa());
  ASSAY_TRY_ASSIGN(auto device, device::host_device::create(
                                    {static_cast<std::uint64_t>(arena_bytes), spin_ns, threads}));
  return fmt::format("host.arena_bytes {}, host.spin_ns {}, host.threads {}, host.isa {}",
                     device->memory_limit_bytes(), spin_ns, device->launch_threads(),
                     ops::to_string(ops::isa_in_force()));
}

// Takes the samples of a measurement of which only the result is wanted.
class discard final : public trace::sink {
 public:
  result<void> contract(std::string_view) override { return {}; }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record>) override { return {}; }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
  result<void> end() override { return {}; }
};

// As a working set stands for the run: the embedded checkpoint's weights.
constexpr std::uint64_t examined_set_bytes = 7 << 20;

std::string ceiling_words(const trace::link_ceiling& ceiling) {
  constexpr double gb = 1e9;
  return fmt::format("at most {:.1f} GB/s measured x 1.05, {:.1f} GB/s physical: {}",
                     ceiling.soft_bytes_per_s / gb, ceiling.hard_bytes_per_s / gb, ceiling.reason);
}

result<std::vector<ability>> examine_links() {
  ASSAY_TRY_ASSIGN(auto probe, probes::link_probe::create({examined_set_bytes}));
  discard nowhere;
  ASSAY_TRY(probe->calibrate(nowhere));
  std::vector<ability> links;
  for (const trace::link_ceiling& each : probe->ceilings())
    links.push_back({std::string(telemetry::to_string(each.link)), each.soft_bytes_per_s > 0.0,
                     ceiling_words(each)});
  return links;
}

std::vector<ability> examine() {
  std::vector<ability> all{
      of("host device", device_words()),
      of("host clock", clock_words()),
      of("thread accounts", account_words()),
      of("stolen time", steal_words()),
      of("wall clock steps", wall_words()),
      {"CUDA device", false,
       "this build has no CUDA backend; CUPTI, CUDA events and NVML cannot be asked"},
  };
  if (const auto links = examine_links())
    all.insert(all.end(), links->begin(), links->end());
  else
    all.push_back({"link ceilings", false, links.error().message});
  return all;
}

result<void> print_report() {
  std::string text = fmt::format("assay, build id {}\n\n", build_id());
  for (const ability& each : examine())
    text += fmt::format("{:<4} {:<17} {}\n", each.is_there ? "yes" : "no", each.what, each.detail);
  return write_to_stdout(text);
}

}  // namespace

void add_doctor_verb(CLI::App& app, verb_action& action) {
  CLI::App* verb =
      app.add_subcommand("doctor", "Say what can be measured here, and why the rest cannot");
  verb->callback([&action] {
    action = [] {
      const auto outcome = print_report();
      return outcome ? exit_code::clean : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
