// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a kernel without accounts would read as a thread that never ran, and a thread that
// spins as one that stopped a tick ago.
#include "probes/process/thread_probe.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/telemetry/clock.h"
#include "tests/probes/fake_proc.h"
#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using test::fake_proc;
using test::recorded_trace;
using testing::HasSubstr;

std::string schedstat_of(std::uint32_t tid) {
  return "self/task/" + std::to_string(tid) + "/schedstat";
}

void spin_for_ns(std::int64_t ns) {
  const host_time start = host_now();
  while (host_now() - start < ns) {
  }
}

/// The probe on a /proc/self that says `schedstat` of the calling thread.
result<thread_probe> open_on(const fake_proc& proc, std::string_view schedstat) {
  const watched_thread self{tid_of_this_thread(), thread_role::main};
  proc.write(schedstat_of(self.tid), schedstat);
  return thread_probe::open(std::vector{self}, proc.root() + "/self");
}

TEST(ThreadProbe, writes_each_field) {
  const fake_proc proc;
  auto probe = open_on(proc, "123 456 7\n");
  ASSERT_TRUE(probe) << probe.error().message;
  recorded_trace trace;
  const host_time before = host_now();
  ASSERT_TRUE(probe->sample(trace));
  ASSERT_EQ(trace.all.size(), 1u);
  const assay_record& record = trace.all[0];
  EXPECT_EQ(record.kind, ASSAY_THREAD);
  EXPECT_EQ(record.op, 1);
  EXPECT_EQ(record.stream, tid_of_this_thread());
  EXPECT_GE(record.start_ns, before.ns);
  EXPECT_GT(record.amount, 123) << "run time comes from the clock, not from a lagging file";
  EXPECT_EQ(record.extra[0], 456);
  EXPECT_EQ(record.extra[1], 7);
}

// What places a sleep: a thread that slept was given a core again, one that ran needs none.
TEST(ThreadProbe, counts_a_turn_for_each_sleep) {
  const auto probe =
      thread_probe::open(std::vector{watched_thread{tid_of_this_thread(), thread_role::main}});
  ASSERT_TRUE(probe) << probe.error().message;
  const auto before = probe->read(0);
  for (int i = 0; i < 3; ++i) std::this_thread::sleep_for(std::chrono::microseconds(200));
  const auto after = probe->read(0);
  ASSERT_TRUE(before && after);
  EXPECT_GE((*after - *before).turns_count, 3);
  // Others may take its core now and then, not each time.
  bool is_seen_without = false;
  for (int i = 0; i < 200 && !is_seen_without; ++i) {
    const auto early = probe->read(0);
    spin_for_ns(20'000);
    is_seen_without = (*probe->read(0) - *early).turns_count == 0;
  }
  EXPECT_TRUE(is_seen_without);
}

TEST(ThreadProbe, sees_the_present_turn_of_a_spinning_thread) {
  std::atomic<std::uint32_t> tid{0};
  std::atomic<bool> is_over{false};
  std::thread spinner([&] {
    tid = tid_of_this_thread();
    while (!is_over) {
    }
  });
  while (tid == 0) std::this_thread::yield();
  {
    const auto probe = thread_probe::open(std::vector<watched_thread>{
        {tid_of_this_thread(), thread_role::main}, {tid, thread_role::stream_worker}});
    ASSERT_TRUE(probe) << probe.error().message;
    for (std::size_t thread = 0; thread < 2; ++thread) {
      const auto early = probe->read(thread);
      spin_for_ns(20'000);  // far less than a tick
      auto late = probe->read(thread);
      ASSERT_TRUE(early && late);
      // The other thread may be off its core just now; this one cannot be.
      while (thread == 1 && late->run_ns == early->run_ns) late = probe->read(thread);
      const thread_account between = *late - *early;
      EXPECT_GT(between.run_ns, 0);
      EXPECT_LE(between.run_ns, between.at_ns + 1'000'000'000) << "another unit than ns";
    }
  }
  is_over = true;
  spinner.join();
}

TEST(ThreadProbe, agrees_with_schedstat_on_a_sleeping_thread) {
  std::atomic<std::uint32_t> tid{0};
  std::atomic<bool> is_over{false};
  std::thread sleeper([&] {
    spin_for_ns(1'000'000);
    tid = tid_of_this_thread();
    is_over.wait(false);
  });
  while (tid == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto probe = thread_probe::open(std::vector{watched_thread{tid, thread_role::main}});
  ASSERT_TRUE(probe) << probe.error().message;
  std::array<char, 96> buffer;
  const auto file = open_file::open("/proc/" + schedstat_of(tid));
  ASSERT_TRUE(file);
  const auto text = file->read(buffer);
  EXPECT_EQ(std::to_string(probe->read(0)->run_ns), text->substr(0, text->find(' ')));
  is_over = true;
  is_over.notify_all();
  sleeper.join();
}

TEST(ThreadProbe, says_that_a_thread_has_ended) {
  std::atomic<std::uint32_t> tid{0};
  std::atomic<bool> is_over{false};
  std::thread worker([&] {
    tid = tid_of_this_thread();
    is_over.wait(false);
  });
  while (tid == 0) std::this_thread::yield();
  const auto probe = thread_probe::open(std::vector{watched_thread{tid, thread_role::main}});
  ASSERT_TRUE(probe);
  is_over = true;
  is_over.notify_all();
  worker.join();
  // The kernel takes the thread out of /proc shortly after its join returns.
  while (std::filesystem::exists("/proc/self/task/" + std::to_string(tid)))
    std::this_thread::yield();
  const auto gone = probe->read(0);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, error_kind::unavailable);
  EXPECT_THAT(gone.error().message, HasSubstr("ended"));
}

TEST(ThreadProbe, is_unavailable_without_schedstat) {
  const fake_proc proc;
  const auto probe = thread_probe::open(
      std::vector{watched_thread{tid_of_this_thread(), thread_role::main}}, proc.root() + "/self");
  ASSERT_FALSE(probe);
  EXPECT_EQ(probe.error().kind, error_kind::unavailable);
  EXPECT_THAT(probe.error().message, HasSubstr("schedstat"));
}

TEST(ThreadProbe, takes_three_zeros_for_absence) {
  const fake_proc proc;
  const auto probe = open_on(proc, "0 0 0\n");
  ASSERT_FALSE(probe);
  EXPECT_EQ(probe.error().kind, error_kind::unavailable);
  EXPECT_THAT(probe.error().message, HasSubstr("CONFIG_SCHED_INFO"));
  EXPECT_TRUE(open_on(proc, "0 0 1\n")) << "a thread in its first turn";
}

TEST(ThreadProbe, refuses_a_line_of_another_form) {
  const fake_proc proc;
  for (const char* text : {"12 34\n", "", "run 1 2\n", "1 x 2\n", "99999999999999999999 1 2\n"}) {
    const auto probe = open_on(proc, text);
    ASSERT_FALSE(probe) << text;
    EXPECT_EQ(probe.error().kind, error_kind::unavailable) << text;
  }
}

TEST(ThreadProbe, knows_only_its_threads) {
  const auto probe =
      thread_probe::open(std::vector{watched_thread{tid_of_this_thread(), thread_role::main}});
  ASSERT_TRUE(probe);
  EXPECT_EQ(probe->read(1).error().kind, error_kind::usage);
}

}  // namespace
}  // namespace assay::probes
