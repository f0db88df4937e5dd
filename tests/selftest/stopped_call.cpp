// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/selftest/stopped_call.h"

#include <signal.h>
#include <sys/mman.h>

#include <ctime>
#include <new>

#include "runtime/telemetry/check.h"

namespace assay::selftest_test {
namespace {

constexpr std::size_t page_bytes = 4096;
static_assert(sizeof(device::kernel) <= page_bytes);

struct nothing {};
void do_nothing(const nothing&, device::block_context&) {}

// What the handler needs: it may call nothing that takes a lock.
struct trap {
  void* page = nullptr;
  std::int64_t length_ns = 0;
  stamps stopped;
  struct sigaction before {};
};
trap armed_trap;

void on_fault(int number, siginfo_t* info, void* context) {
  auto* const at = static_cast<std::byte*>(info->si_addr);
  auto* const page = static_cast<std::byte*>(armed_trap.page);
  if (page == nullptr || at < page || at >= page + page_bytes) {
    // Somebody else's: with the handler that was there before, the fault comes again.
    sigaction(number, &armed_trap.before, nullptr);
    static_cast<void>(context);
    return;
  }
  armed_trap.stopped = spin(armed_trap.length_ns);
  mprotect(armed_trap.page, page_bytes, PROT_READ | PROT_WRITE);
}

}  // namespace

std::int64_t own_now_ns() noexcept {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

stamps spin(std::int64_t length_ns) noexcept {
  stamps made{own_now_ns(), 0};
  do {
    made.end_ns = own_now_ns();
  } while (made.length_ns() < length_ns);
  return made;
}

stamps sleep_for(std::int64_t length_ns) noexcept {
  constexpr std::int64_t awake_ns = 150'000;
  stamps made{own_now_ns(), 0};
  if (length_ns > awake_ns) {
    const std::int64_t asleep_ns = length_ns - awake_ns;
    const std::timespec asleep{asleep_ns / 1'000'000'000, asleep_ns % 1'000'000'000};
    nanosleep(&asleep, nullptr);
  }
  do {
    made.end_ns = own_now_ns();
  } while (made.length_ns() < length_ns);
  return made;
}

stopping_kernel::stopping_kernel() {
  ASSAY_CHECK(armed_trap.page == nullptr, "two kernels that stop their readers");
  page_ = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSAY_CHECK(page_ != MAP_FAILED, "no page for a kernel that stops its reader");
  new (page_) device::kernel(device::kernel::bind<nothing, do_nothing>("nothing", {}, 1));
  armed_trap.page = page_;
  struct sigaction mine {};
  mine.sa_sigaction = on_fault;
  mine.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &mine, &armed_trap.before);
}

stopping_kernel::~stopping_kernel() {
  sigaction(SIGSEGV, &armed_trap.before, nullptr);
  armed_trap = {};
  munmap(page_, page_bytes);
}

const device::kernel& stopping_kernel::armed(std::int64_t length_ns) {
  armed_trap.length_ns = length_ns;
  armed_trap.stopped = {};
  mprotect(page_, page_bytes, PROT_NONE);
  return *static_cast<const device::kernel*>(page_);
}

stamps stopping_kernel::stopped() const {
  return armed_trap.stopped;
}

}  // namespace assay::selftest_test
