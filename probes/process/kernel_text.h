// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the kernel writes about a machine's state, from text to numbers. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::probes {

// Errors of all: unavailable, with what the text lacks. `from` names the text in the sentence. A
// number that int64 does not hold in the unit of the answer is no number: cut short it would be a
// smaller one.

/// A file that holds one whole number, not negative, times `scale`.
result<std::int64_t> parse_whole(std::string_view text, const std::string& from,
                                 std::int64_t scale = 1);

/// The number behind `key` at the start of a line, "key number" or "key:  number kB", times
/// `scale`.
result<std::int64_t> parse_keyed(std::string_view text, std::string_view key,
                                 const std::string& from, std::int64_t scale = 1);

/// How long and how often a control group's processes were held back by its quota.
struct group_throttling {
  std::int64_t throttles_count = 0;
  std::int64_t throttled_ns = 0;
};
/// cpu.stat of either version of control groups: throttled_usec, or throttled_time in ns.
result<group_throttling> parse_cpu_stat(std::string_view text, const std::string& from);

/// Folders below the mount of the control groups where cpu.stat of a process may lie, nearest first
/// and up to the root of each hierarchy, from the text of /proc/PID/cgroup. A path that climbs out
/// of the mount is taken for its root.
struct group_folders {
  std::vector<std::string> unified;  ///< version 2: limits of each apply
  std::vector<std::string> cpu;      ///< version 1, of the cpu controller
};
group_folders parse_cgroup(std::string_view text);

/// Time in which some task waited, from a file of /proc/pressure.
result<std::int64_t> parse_pressure_ns(std::string_view text, const std::string& from);

struct load_reading {
  std::int64_t average_milli = 0;  ///< over one minute
  std::int64_t runnable_count = 0;
};
/// "0.87 0.76 1.16 3/96 17753".
result<load_reading> parse_loadavg(std::string_view text, const std::string& from);

}  // namespace assay::probes
