// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the kernel says about this machine and this process beside the threads' accounts: enough to
// tell a slow run from a disturbed one.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/telemetry/result.h"

namespace assay::probes {

// Each function reads once. `proc` is for tests: a folder that looks like /proc.
// Errors: unavailable, with the file and what it lacks. Never zeros in place of a missing value.

/// Time that a hypervisor took from this machine since boot, all cores. Units: clock ticks
/// (sysconf(_SC_CLK_TCK) a second). A machine that is not virtual says 0, and means it.
result<std::int64_t> steal_ticks(const std::string& proc = "/proc");

/// Runnable threads, averaged over one minute.
result<double> load_average_1min(const std::string& proc = "/proc");

/// The highest resident set so far of this process (VmHWM).
result<std::uint64_t> peak_resident_bytes(const std::string& proc = "/proc");

/// What disturbed the calling thread since it began.
struct thread_usage {
  std::int64_t minor_faults_count = 0;
  std::int64_t major_faults_count = 0;
  std::int64_t voluntary_switches_count = 0;
  std::int64_t involuntary_switches_count = 0;

  friend thread_usage operator-(const thread_usage& late, const thread_usage& early) {
    return {late.minor_faults_count - early.minor_faults_count,
            late.major_faults_count - early.major_faults_count,
            late.voluntary_switches_count - early.voluntary_switches_count,
            late.involuntary_switches_count - early.involuntary_switches_count};
  }
};

/// Source: getrusage(RUSAGE_THREAD). Overhead: 0.5 µs (AMD EPYC 4th generation, KVM, 2026-12-01).
result<thread_usage> usage_of_this_thread();

}  // namespace assay::probes
