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

result<run_accounts> run_accounts::open() {
  const std::array<probes::watched_thread, 1> self{
      {{probes::tid_of_this_thread(), probes::thread_role::main}}};
  ASSAY_TRY_ASSIGN(auto probe, probes::thread_probe::open(self));
  return run_accounts(std::move(probe));
}

result<void> run_accounts::watch_workers(const std::vector<std::uint32_t>& tids) {
  std::vector<probes::watched_thread> threads{
      {probes::tid_of_this_thread(), probes::thread_role::main}};
  for (const std::uint32_t tid : tids) threads.push_back({tid, probes::thread_role::stream_worker});
  ASSAY_TRY_ASSIGN(probe_, probes::thread_probe::open(threads));
  begin_.resize(threads.size());
  return {};
}

result<void> run_accounts::start() {
  ASSAY_TRY_ASSIGN(begin_steal_ns_, steal_ns());
  for (std::size_t i = 0; i < begin_.size(); ++i) {
    ASSAY_TRY_ASSIGN(begin_[i], probe_.read(i));
  }
  return {};
}

result<thread_time> run_accounts::since_start() const {
  thread_time spent;
  ASSAY_TRY_ASSIGN(const auto caller, probe_.read(0));
  spent.run_ns = (caller - begin_[0]).run_ns;
  spent.wait_ns = (caller - begin_[0]).wait_ns;
  for (std::size_t i = 1; i < begin_.size(); ++i) {
    ASSAY_TRY_ASSIGN(const auto worker, probe_.read(i));
    spent.workers_run_ns += (worker - begin_[i]).run_ns;
    spent.workers_wait_ns += (worker - begin_[i]).wait_ns;
  }
  ASSAY_TRY_ASSIGN(const std::int64_t steal_now_ns, steal_ns());
  spent.steal_ns = steal_now_ns - begin_steal_ns_;
  return spent;
}

result<assay_record> run_accounts::read_caller() const {
  ASSAY_TRY_ASSIGN(const auto account, probe_.read(0));
  return probe_.record_of(0, account);
}

}  // namespace assay::cli
