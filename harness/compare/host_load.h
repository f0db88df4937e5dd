// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What else went on while a process ran, as far as the kernel says.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::compare {

/// Each absent where this machine does not say it.
struct host_load {
  std::optional<std::int64_t> steal_ns{};  ///< taken from all CPUs by the hypervisor, since boot
  std::optional<std::int64_t> throttled_ns{};  ///< this control group was held back, since it began
  std::optional<double> load_average{};        ///< of the last minute
  std::optional<std::int64_t> frequency_hz{};  ///< of the first CPU, now
};

/// Reads /proc/stat, /proc/loadavg, /sys/fs/cgroup/cpu.stat and cpufreq. Overhead: four small
/// files.
host_load host_load_now();

/// Steal time of the line "cpu …" of /proc/stat, in clock ticks.
std::optional<std::int64_t> steal_ticks(std::string_view stat);
/// throttled_usec of a cpu.stat, in ns.
std::optional<std::int64_t> throttled_ns(std::string_view cpu_stat);

}  // namespace assay::compare
