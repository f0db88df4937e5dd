// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernel's account of the threads of this process: how long each ran and how long each was
// ready but waited for a core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <vector>

#include "probes/process/open_file.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// What a thread is for; the op of an ASSAY_THREAD record.
enum class thread_role : std::uint8_t { main = 1, stream_worker = 2 };

struct watched_thread {
  std::uint32_t tid = 0;
  thread_role role = thread_role::main;
};

/// Cumulative since the thread began, except `at_ns`.
/// Clock: at_ns host; run_ns and wait_ns are the scheduler's.
struct thread_account {
  std::int64_t at_ns = 0;
  std::int64_t run_ns = 0;
  std::int64_t wait_ns = 0;  ///< ready to run, no core free
  /// How often it was given a core. Between two readings of a thread that runs at both, it left its
  /// core just as often.
  std::int64_t turns_count = 0;

  /// What happened from `early` to `late`; at_ns becomes the length of the interval.
  friend thread_account operator-(const thread_account& late, const thread_account& early) {
    return {late.at_ns - early.at_ns, late.run_ns - early.run_ns, late.wait_ns - early.wait_ns,
            late.turns_count - early.turns_count};
  }
};

/// Reads the accounts of given threads.
///
/// Run time comes from the thread's CPU-time clock and not from schedstat: the kernel brings
/// schedstat up to date only at a tick or when the thread leaves its core. For a thread that runs,
/// the caller always among them, it lags by 0.4 ms on average and 3.4 ms at most (300 reads, one
/// each 7.3 ms of spinning), while reading the clock settles the account first. For a thread that
/// sleeps both are equal to the ns. Wait time has no clock; it is added when a wait ends.
///
/// Threads: one at a time.
///
/// Errors: unavailable, where the kernel keeps no such account or a thread has ended. Never zeros.
///
/// Overhead: 1.3 µs a thread. All figures: AMD EPYC 4th generation under KVM, 2026-12-01.
class thread_probe {
 public:
  /// `process` is for tests: a folder that looks like /proc/self.
  static result<thread_probe> open(std::span<const watched_thread> threads,
                                   const std::string& process = "/proc/self");

  /// The account of the thread at `index` of what open() was given.
  result<thread_account> read(std::size_t index) const;
  /// What read() gave, as an ASSAY_THREAD record.
  assay_record record_of(std::size_t index, const thread_account& account) const;
  /// Writes one ASSAY_THREAD record a thread.
  result<void> sample(trace::sink& to) const;

 private:
  struct source {
    watched_thread who;
    clockid_t cpu_clock;
    open_file schedstat;
  };
  static result<thread_account> read(const source& from);

  std::vector<source> sources_;
};

/// Kernel id of the calling thread.
std::uint32_t tid_of_this_thread();

}  // namespace assay::probes
