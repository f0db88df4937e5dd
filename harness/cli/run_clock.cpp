// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_clock.h"

#include <unistd.h>

#include <array>
#include <ctime>

#include "probes/process/host_account.h"

namespace assay::cli {
namespace {

// One tick of resolution: what the hypervisor took within the current tick is not told yet.
result<std::int64_t> steal_ns() {
  ASSAY_TRY_ASSIGN(const std::int64_t ticks, probes::steal_ticks());
  return ticks * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

}  // namespace

std::int64_t thread_cpu_ns() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

result<caller_account> caller_account::open() {
  const std::array<probes::watched_thread, 1> self{
      {{probes::tid_of_this_thread(), probes::thread_role::main}}};
  ASSAY_TRY_ASSIGN(auto probe, probes::thread_probe::open(self));
  return caller_account(std::move(probe));
}

result<void> caller_account::start() {
  ASSAY_TRY_ASSIGN(begin_steal_ns_, steal_ns());
  ASSAY_TRY_ASSIGN(begin_, probe_.read(0));
  return {};
}

result<thread_time> caller_account::since_start() const {
  ASSAY_TRY_ASSIGN(const auto now, probe_.read(0));
  ASSAY_TRY_ASSIGN(const std::int64_t steal_now_ns, steal_ns());
  const auto delta = now - begin_;
  return thread_time{delta.run_ns, delta.wait_ns, steal_now_ns - begin_steal_ns_};
}

}  // namespace assay::cli
