// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/examination.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "harness/cli/gpu_look.h"
#include "harness/cli/host_choice.h"
#include "harness/cli/no_sink.h"
#include "probes/link/arithmetic_probe.h"
#include "probes/link/link_probe.h"
#include "probes/process/clock_probe.h"
#include "probes/process/host_account.h"
#include "probes/process/host_limits.h"
#include "probes/process/thread_probe.h"
#include "runtime/device/host_device.h"
#include "runtime/ops/isa.h"
#include "runtime/telemetry/catalog.h"
#include "runtime/telemetry/knobs.h"

namespace assay::cli {
namespace {

// What a look finds: the figure, and whether it is worth less here than elsewhere.
struct found {
  std::string detail;
  bool is_degraded = false;
};

ability of(std::string what, const result<found>& look) {
  if (!look) return {std::move(what), ability_state::no, look.error().message};
  return {std::move(what), look->is_degraded ? ability_state::degraded : ability_state::yes,
          look->detail};
}

result<found> host_device() {
  ASSAY_TRY_ASSIGN(const std::int64_t arena_bytes,
                   telemetry::knob_value(telemetry::knob_id::host_arena_bytes));
  ASSAY_TRY_ASSIGN(const std::int64_t spin_ns,
                   telemetry::knob_value(telemetry::knob_id::host_spin_ns));
  ASSAY_TRY_ASSIGN(const std::uint32_t threads, host_threads());
  ASSAY_TRY(use_host_isa());
  ASSAY_TRY_ASSIGN(auto device, device::host_device::create(
                                    {static_cast<std::uint64_t>(arena_bytes), spin_ns, threads}));
  return found{fmt::format("host.arena_bytes {}, host.spin_ns {}, host.threads {}, host.isa {}",
                           device->memory_limit_bytes(), spin_ns, device->launch_threads(),
                           ops::to_string(ops::isa_in_force()))};
}

result<found> host_clock() {
  const std::int64_t start_ns = host_now().ns;
  constexpr int reads = 1000;
  for (int i = 0; i < reads; ++i) static_cast<void>(host_now());
  const std::int64_t read_ns = (host_now().ns - start_ns) / reads;
  // Through a system call instead of the vDSO a read costs a tenth of a bracket's slack.
  constexpr std::int64_t fast_read_ns = 200;
  const bool is_slow = read_ns > fast_read_ns;
  return found{fmt::format("CLOCK_MONOTONIC, {} ns a read{}", read_ns,
                           is_slow ? "; short brackets hold the reads as well" : ""),
               is_slow};
}

result<found> thread_accounts() {
  const probes::watched_thread self[]{{probes::tid_of_this_thread(), probes::thread_role::main}};
  ASSAY_TRY_ASSIGN(const auto probe, probes::thread_probe::open(self));
  ASSAY_TRY_ASSIGN(const auto account, probe.read(0));
  return found{fmt::format("this thread ran {} us and waited {} us for a core",
                           account.run_ns / 1000, account.wait_ns / 1000)};
}

// A guest whose hypervisor takes time and does not say so: that time is in every span.
result<found> stolen_time() {
  ASSAY_TRY_ASSIGN(const std::int64_t ticks, probes::steal_ticks());
  const auto is_virtual = probes::is_virtual_machine();
  if (ticks == 0 && is_virtual && *is_virtual)
    return found{
        "a hypervisor runs this machine and has reported no stolen tick since boot; what "
        "it takes reads as run time",
        true};
  return found{fmt::format("{} ticks taken by the hypervisor since boot", ticks)};
}

result<found> wall_clock() {
  ASSAY_TRY_ASSIGN(const auto wall, probes::read_wall());
  return found{
      fmt::format("CLOCK_REALTIME beside CLOCK_MONOTONIC_RAW, read within {} ns", wall.bracket_ns)};
}

// A caller and a worker: with less than two cores they take turns, and no span is one party's.
constexpr double needed_cores = 2.0;

result<found> cores() {
  ASSAY_TRY_ASSIGN(const auto limits, probes::read_core_limits());
  const double usable =
      limits.quota_cores > 0.0
          ? std::min(limits.quota_cores, static_cast<double>(limits.allowed_count))
          : static_cast<double>(limits.allowed_count);
  std::string words =
      fmt::format("{} online, {} allowed", limits.online_count, limits.allowed_count);
  if (limits.quota_cores > 0.0)
    words += fmt::format(", {:.2f} by the cgroup's quota", limits.quota_cores);
  if (usable >= needed_cores) return found{words};
  return found{words + "; caller and worker take turns, so spans hold each other's work", true};
}

result<found> load() {
  ASSAY_TRY_ASSIGN(const double runnable, probes::load_average_1min());
  ASSAY_TRY_ASSIGN(const auto limits, probes::read_core_limits());
  const bool is_busy = runnable >= static_cast<double>(limits.allowed_count);
  return found{
      fmt::format("{:.2f} runnable threads on {} cores over the last minute{}", runnable,
                  limits.allowed_count,
                  is_busy ? "; more windows are disturbed, and short times stay unmeasured" : ""),
      is_busy};
}

result<found> memory() {
  ASSAY_TRY_ASSIGN(const std::int64_t available_bytes, probes::available_memory_bytes());
  ASSAY_TRY_ASSIGN(const std::int64_t arena_bytes,
                   telemetry::knob_value(telemetry::knob_id::host_arena_bytes));
  const bool is_short = available_bytes < arena_bytes;
  const auto mode = probes::huge_page_mode();
  return found{fmt::format("{} bytes available; transparent huge pages: {}{}", available_bytes,
                           mode ? *mode : mode.error().message,
                           is_short ? "; less than host.arena_bytes: a full arena would be paged "
                                      "out, or end the process, and a page fault is in no account"
                                    : ""),
               is_short};
}

// As a working set stands for the run: the embedded checkpoint's weights.
constexpr std::uint64_t examined_set_bytes = 7 << 20;

ability of(const trace::link_ceiling& ceiling) {
  constexpr double gb = 1e9;
  const bool has_soft = ceiling.soft_bytes_per_s > 0.0;
  const bool has_hard = ceiling.hard_bytes_per_s > 0.0;
  const std::string soft =
      has_soft ? fmt::format("{:.1f} GB/s measured x 1.05", ceiling.soft_bytes_per_s / gb)
               : "not measured";
  const std::string hard = has_hard
                               ? fmt::format("{:.1f} GB/s physical", ceiling.hard_bytes_per_s / gb)
                               : "no physical bound";
  return {std::string(telemetry::to_string(ceiling.link)),
          has_soft && has_hard ? ability_state::yes
          : has_soft           ? ability_state::degraded
                               : ability_state::no,
          fmt::format("{}, {}: {}", soft, hard, ceiling.reason)};
}

result<std::vector<trace::link_ceiling>> measured_ceilings() {
  ASSAY_TRY_ASSIGN(const std::uint32_t threads, host_threads());
  ASSAY_TRY_ASSIGN(auto probe,
                   probes::link_probe::create(
                       {.read_working_set_bytes = examined_set_bytes, .reading_threads = threads}));
  no_sink nowhere;
  ASSAY_TRY(probe->calibrate(nowhere));
  return probe->ceilings();
}

// On a busy machine a sample with all threads at work is rare.
constexpr int arithmetic_samples = 8;

result<std::vector<trace::arithmetic_ceiling>> measured_arithmetic() {
  ASSAY_TRY_ASSIGN(const std::uint32_t threads, host_threads());
  ASSAY_TRY(use_host_isa());  // a run's ceiling is of the registers that its loops may use
  probes::arithmetic_probe probe({host_vector_bytes(), threads});
  for (int i = 0; i < arithmetic_samples; ++i) ASSAY_TRY(probe.sample());
  return std::vector{probe.ceiling()};
}

ability of(const trace::arithmetic_ceiling& ceiling) {
  const bool is_measured = ceiling.operations_per_s > 0.0;
  return {std::string(telemetry::to_string(ceiling.by)),
          is_measured ? ability_state::yes : ability_state::no,
          is_measured ? fmt::format("{:.1f} GFLOP/s measured: {}", ceiling.operations_per_s / 1e9,
                                    ceiling.reason)
                      : "not measured: " + ceiling.reason};
}

// A line each, or one that says why there is none. `whose`: before names that both devices have.
template <class Ceiling>
void add(std::vector<ability>& to, const char* what, const result<std::vector<Ceiling>>& measured,
         const char* whose = "") {
  if (!measured) return to.push_back({what, ability_state::no, measured.error().message});
  for (const Ceiling& each : *measured) to.emplace_back(of(each)).what.insert(0, whose);
}

}  // namespace

std::string_view to_string(ability_state state) {
  switch (state) {
    case ability_state::yes:
      return "yes";
    case ability_state::degraded:
      return "degraded";
    case ability_state::no:
      return "no";
  }
  return "?";
}

std::vector<ability> examine_references() {
  return {
      of("host device", host_device()),
      of("host clock", host_clock()),
      of("thread accounts", thread_accounts()),
      of("stolen time", stolen_time()),
      of("wall clock steps", wall_clock()),
      of("cores", cores()),
      of("load", load()),
      of("memory", memory()),
  };
}

std::vector<ability> examine_gpu() {
  return abilities_of(look_at_gpu());
}

std::vector<ability> examine_ceilings() {
  std::vector<ability> all;
  add(all, "links of the host", measured_ceilings());
  add(all, "arithmetic", measured_arithmetic());
  add(all, "links of a GPU", measured_gpu_ceilings());
  add(all, "GPU arithmetic", measured_gpu_arithmetic(), "GPU ");
  return all;
}

}  // namespace assay::cli
