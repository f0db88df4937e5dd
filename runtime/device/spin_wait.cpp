// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/spin_wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "runtime/telemetry/clock.h"

namespace assay::device {
namespace {

// Rounds between two clock reads: a pause is 10–40 ns on the x86 cores of the last ten years, so
// the bound is overshot by about a microsecond at most.
constexpr int rounds_per_clock_read = 32;

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Private futexes: no other process maps the word. Their failures (EAGAIN, EINTR) all mean "look
// again", which every caller does.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake_all(const std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

// Two nanoseconds: the C library reads it from the thread's restartable-sequence area.
int progress::current_core() noexcept {
  return sched_getcpu();
}

void progress::wake(std::uint64_t count) noexcept {
  std::uint64_t mark = wake_at_.load(std::memory_order_seq_cst);
  do {
    if (mark > count) return;  // another advance took it, and a waiter for more has come since
  } while (!wake_at_.compare_exchange_weak(mark, nobody, std::memory_order_seq_cst));
  wakes_.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_all(wakes_);
}

bool progress::spin(std::uint64_t target, std::int64_t spin_ns) const noexcept {
  if (spin_ns <= 0) return false;
  const host_time start = host_now();
  do {
    if (core_.load(std::memory_order_relaxed) == current_core()) return false;
    for (int round = 0; round < rounds_per_clock_read; ++round) {
      if (reached() >= target) return true;
      pause();
    }
  } while (host_now() - start < spin_ns);
  return false;
}

// The order of the three steps is what makes it safe. The futex word is read before `wake_at_` is
// set: an advance that takes the mark afterwards changes the word, so the futex refuses to sleep.
// The count is read after the mark is set: an advance that did not see the mark is seen here.
void progress::wait_slowly(std::uint64_t target, std::int64_t spin_ns) const noexcept {
  if (spin(target, spin_ns)) return;
  for (;;) {
    const std::uint32_t seen = wakes_.load(std::memory_order_seq_cst);
    ask_to_be_woken_at(target);
    if (count_.load(std::memory_order_seq_cst) >= target) return;
    futex_wait(wakes_, seen);
    if (reached() >= target) return;
  }
}

void progress::ask_to_be_woken_at(std::uint64_t target) const noexcept {
  std::uint64_t lowest = wake_at_.load(std::memory_order_seq_cst);
  while (target < lowest &&
         !wake_at_.compare_exchange_weak(lowest, target, std::memory_order_seq_cst)) {
  }
}

}  // namespace assay::device
