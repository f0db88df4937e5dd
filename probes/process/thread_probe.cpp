// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/process/thread_probe.h"

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/telemetry/clock.h"

namespace assay::probes {

namespace {

/// The CPU-time clock of any thread of this process, by its tid. The encoding is the kernel's ABI
/// (clock ids below 0: inverted tid, bit 2 "one thread", type 2 "scheduler"); the C library offers
/// it for a pthread_t only, which a probe that is given tids has not.
clockid_t cpu_clock_of(std::uint32_t tid) {
  constexpr unsigned per_thread = 4;
  constexpr unsigned scheduler = 2;
  return static_cast<clockid_t>((~tid << 3) | per_thread | scheduler);
}

result<std::int64_t> read_clock(clockid_t clock, std::uint32_t tid) {
  std::timespec now{};
  if (::clock_gettime(clock, &now) != 0)
    return ASSAY_FAIL(unavailable,
                      "thread " + std::to_string(tid) +
                          ": no CPU-time clock; it has ended or is not of this process");
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

struct schedstat_line {
  std::int64_t run_ns = 0;
  std::int64_t wait_ns = 0;
  std::int64_t turns_count = 0;
};

result<schedstat_line> parse(std::string_view text, const std::string& path) {
  schedstat_line line;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::int64_t* field : {&line.run_ns, &line.wait_ns, &line.turns_count}) {
    while (at != end && *at == ' ') ++at;
    const auto [after, problem] = std::from_chars(at, end, *field);
    if (problem != std::errc{})
      return ASSAY_FAIL(unavailable, path + ": not three numbers; this kernel writes another form");
    at = after;
  }
  return line;
}

}  // namespace

std::uint32_t tid_of_this_thread() {
  return static_cast<std::uint32_t>(::syscall(SYS_gettid));
}

result<thread_probe> thread_probe::open(std::span<const watched_thread> threads,
                                        const std::string& process) {
  thread_probe probe;
  for (const watched_thread& who : threads) {
    ASSAY_TRY_ASSIGN(open_file schedstat,
                     open_file::open(process + "/task/" + std::to_string(who.tid) + "/schedstat"));
    probe.sources_.push_back({who, cpu_clock_of(who.tid), std::move(schedstat)});
    ASSAY_TRY(read(probe.sources_.back()));
  }
  return probe;
}

result<thread_account> thread_probe::read(std::size_t index) const {
  if (index >= sources_.size())
    return ASSAY_FAIL(usage, "thread probe: it watches " + std::to_string(sources_.size()) +
                                 " threads; there is no number " + std::to_string(index));
  return read(sources_[index]);
}

result<thread_account> thread_probe::read(const source& from) {
  thread_account account;
  account.at_ns = host_now().ns;
  ASSAY_TRY_ASSIGN(account.run_ns, read_clock(from.cpu_clock, from.who.tid));
  std::array<char, 96> buffer;  // three numbers of at most 20 digits
  ASSAY_TRY_ASSIGN(const auto text, from.schedstat.read(buffer));
  ASSAY_TRY_ASSIGN(const auto line, parse(text, from.schedstat.path()));
  // A thread that exists has had a turn: three zeros are what a kernel without these accounts says.
  if (line.run_ns == 0 && line.wait_ns == 0 && line.turns_count == 0)
    return ASSAY_FAIL(
        unavailable,
        from.schedstat.path() + ": all zero; the kernel was built without CONFIG_SCHED_INFO");
  account.wait_ns = line.wait_ns;
  account.turns_count = line.turns_count;
  return account;
}

assay_record thread_probe::record_of(std::size_t index, const thread_account& account) const {
  const watched_thread& who = sources_.at(index).who;
  assay_record record{};
  record.kind = ASSAY_THREAD;
  record.op = static_cast<std::uint8_t>(who.role);
  record.stream = who.tid;
  record.start_ns = account.at_ns;
  record.amount = account.run_ns;
  record.extra[0] = account.wait_ns;
  record.extra[1] = account.turns_count;
  return record;
}

result<void> thread_probe::sample(trace::sink& to) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    ASSAY_TRY_ASSIGN(const thread_account account, read(i));
    const assay_record record = record_of(i, account);
    ASSAY_TRY(to.records(std::span(&record, 1)));
  }
  return {};
}

}  // namespace assay::probes
