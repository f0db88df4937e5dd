// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a device that runs everything inside the call, out of order, or after
// synchronize() has returned would go unnoticed, and every timing rule would audit a fiction.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/device/device_fixture.h"
#include "tests/device/kernels.h"

namespace assay::device {
namespace {

class Stream : public two_streams {};

std::vector<int> numbers_to(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_F(Stream, copy_returns_before_it_is_done) {
  gate open;
  const buffer on_device = device_->allocate(4).value();
  const int sent = 42;
  int back = 0;
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  ASSERT_TRUE(device_->copy_async(first_, on_device.address, &sent, 4, copy_direction::h2d));
  ASSERT_TRUE(device_->copy_async(first_, &back, on_device.address, 4, copy_direction::d2h));
  EXPECT_EQ(back, 0);
  open.open();
  sync(first_);
  EXPECT_EQ(back, 42);
}

TEST_F(Stream, runs_its_operations_in_order) {
  std::vector<int> order;
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(device_->launch(first_, append(order, i)));
  sync(first_);
  EXPECT_EQ(order, numbers_to(5000));
}

TEST_F(Stream, does_not_hold_up_another_stream) {
  gate open;
  std::vector<int> order;
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  ASSERT_TRUE(device_->launch(second_, append(order, 1)));
  sync(second_);
  EXPECT_EQ(order, std::vector<int>{1});
  open.open();
  sync(first_);
}

TEST_F(Stream, synchronize_waits_for_what_was_enqueued) {
  gate open;
  std::atomic<bool> has_returned{false};
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  std::thread waiter([&] {
    EXPECT_TRUE(device_->synchronize(first_));
    has_returned.store(true);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // past the spin, onto the futex
  EXPECT_FALSE(has_returned.load());
  open.open();
  waiter.join();
  EXPECT_TRUE(has_returned.load());
}

TEST_F(Stream, full_queue_holds_its_submitter_up_and_loses_nothing) {
  constexpr int total = 2 * static_cast<int>(host_queue::capacity) + 7;
  gate open;
  std::vector<int> order;
  std::atomic<int> submitted{0};
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  std::thread submitter([&] {
    for (int i = 0; i < total; ++i) {
      EXPECT_TRUE(device_->launch(first_, append(order, i)));
      submitted.store(i + 1);
    }
  });
  while (submitted.load() < static_cast<int>(host_queue::capacity) - 1) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(submitted.load(),
            static_cast<int>(host_queue::capacity) - 1);  // one slot is the hold's
  open.open();
  submitter.join();
  sync(first_);
  EXPECT_EQ(order, numbers_to(total));
}

TEST_F(Stream, destructor_runs_what_is_queued) {
  std::vector<int> order;
  gate open;
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(device_->launch(first_, append(order, i)));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    open.open();
  });
  device_.reset();
  opener.join();
  EXPECT_EQ(order, numbers_to(100));
}

TEST_F(Stream, destructor_ends_streams_that_wait_for_each_other) {
  gate open;
  std::vector<int> order;
  const event done = device_->create_event().value();
  ASSERT_TRUE(device_->launch(second_, hold_until(open)));
  ASSERT_TRUE(device_->record_event(second_, done));
  ASSERT_TRUE(device_->wait_event(first_, done));
  ASSERT_TRUE(device_->launch(first_, append(order, 1)));
  std::thread opener([&] { open.open(); });
  device_.reset();
  opener.join();
  EXPECT_EQ(order, std::vector<int>{1});
}

TEST_F(Stream, streams_work_at_once_from_two_threads) {
  const auto drive = [&](stream on, std::vector<int>& order, std::vector<std::byte>& back) {
    const buffer here = device_->allocate(back.size()).value();
    const std::vector<std::byte> sent(back.size(), std::byte(on.index + 1));
    for (int i = 0; i < 2000; ++i) {
      EXPECT_TRUE(device_->launch(on, append(order, i)));
      EXPECT_TRUE(
          device_->copy_async(on, here.address, sent.data(), sent.size(), copy_direction::h2d));
      if (i % 100 == 0) {
        EXPECT_TRUE(device_->synchronize(on));
      }
    }
    EXPECT_TRUE(
        device_->copy_async(on, back.data(), here.address, back.size(), copy_direction::d2h));
    EXPECT_TRUE(device_->synchronize(on));
    EXPECT_TRUE(device_->free(here));
  };
  device_->set_observer(&seen_);
  std::vector<int> order_a;
  std::vector<int> order_b;
  std::vector<std::byte> back_a(300);
  std::vector<std::byte> back_b(300);
  std::thread other([&] { drive(second_, order_b, back_b); });
  drive(first_, order_a, back_a);
  other.join();
  EXPECT_EQ(order_a, numbers_to(2000));
  EXPECT_EQ(order_b, numbers_to(2000));
  EXPECT_EQ(back_a, std::vector<std::byte>(300, std::byte{1}));
  EXPECT_EQ(back_b, std::vector<std::byte>(300, std::byte{2}));
  EXPECT_EQ(seen_.activities().size(), 2u * 4001u);
}

TEST_F(Stream, worker_is_named_and_its_tid_is_known) {
  const std::vector<std::uint32_t> tids = device_->worker_tids();
  ASSERT_EQ(tids.size(), 3u);  // two streams and a helper
  const std::string path = "/proc/self/task/" + std::to_string(tids[1]) + "/comm";
  std::FILE* comm = std::fopen(path.c_str(), "r");
  ASSERT_NE(comm, nullptr) << path;
  char name[32] = {};
  ASSERT_NE(std::fgets(name, sizeof name, comm), nullptr);
  std::fclose(comm);
  EXPECT_STREQ(name, "assay-stream-1\n");
}

}  // namespace
}  // namespace assay::device
