// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How much of the machine this process may use, and whether the machine is one.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/telemetry/result.h"

namespace assay::probes {

// `proc` and `sys` are for tests: folders that look like /proc and /sys.
// Errors: unavailable, with the file and what it lacks.

/// Cores, as three parties count them.
struct core_limits {
  std::int64_t online_count = 0;   ///< that the kernel runs
  std::int64_t allowed_count = 0;  ///< that this thread's affinity mask names
  double quota_cores = 0.0;  ///< CPU time a second by the tightest cgroup; 0 where none limits
};
result<core_limits> read_core_limits(const std::string& proc = "/proc",
                                     const std::string& sys = "/sys");

/// Memory that can be taken without swapping: by the kernel's own estimate (MemAvailable), or what
/// the tightest cgroup has left, caches that it can drop included, where that is less.
result<std::int64_t> available_memory_bytes(const std::string& proc = "/proc",
                                            const std::string& sys = "/sys");

/// The mode of transparent huge pages that is in force: always, madvise or never.
result<std::string> huge_page_mode(const std::string& sys = "/sys");

/// Does the processor say that a hypervisor runs it? (x86: the flag of that name.)
result<bool> is_virtual_machine(const std::string& proc = "/proc");

}  // namespace assay::probes
