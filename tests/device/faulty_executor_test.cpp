// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a faulty executor could be harmless, and the tests of other rooms that ask
// whether a fault is noticed would pass on a fault that never happened.
#include "tests/device/faulty_executor.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/telemetry/clock.h"
#include "tests/device/kernels.h"
#include "tests/device/recording_observer.h"

namespace assay::device {
namespace {

class FaultyExecutor : public ::testing::Test {
 protected:
  void make(const fault_plan& plan) {
    device_ = faulty_executor::create({1 << 20, 5'000}, plan).value();
    device_->set_observer(&seen_);
    on_ = device_->create_stream().value();
  }
  void launch(int number) { ASSERT_TRUE(device_->launch(on_, append(order_, number))); }
  void sync() { ASSERT_TRUE(device_->synchronize(on_)); }
  void launch_five() {
    for (int i = 0; i < 5; ++i) launch(i);
    sync();
  }
  std::vector<correlation_id> reported() const {
    std::vector<correlation_id> ids;
    for (const auto& record : seen_.activities()) ids.push_back(record.correlation);
    return ids;
  }

  recording_observer seen_;
  std::vector<int> order_;
  std::unique_ptr<faulty_executor> device_;
  stream on_;
};

using ids = std::vector<correlation_id>;

TEST_F(FaultyExecutor, without_a_fault_is_honest) {
  make({});
  launch_five();
  EXPECT_EQ(order_, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(reported(), (ids{1, 2, 3, 4, 5}));
  EXPECT_EQ(device_->count().struck, 0u);
}

TEST_F(FaultyExecutor, drops_an_operation) {
  make({.fault = executor_fault::drop, .first = 2, .every = 100});
  launch_five();
  EXPECT_EQ(order_, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(reported(), (ids{1, 2, 4, 5}));
  EXPECT_EQ(device_->count().struck, 1u);
  EXPECT_EQ(device_->count().matched, 5u);
}

TEST_F(FaultyExecutor, runs_an_operation_twice) {
  make({.fault = executor_fault::run_twice, .first = 1, .every = 2});
  launch_five();
  EXPECT_EQ(order_, (std::vector<int>{0, 1, 1, 2, 3, 3, 4}));
  EXPECT_EQ(reported(), (ids{1, 2, 2, 3, 4, 4, 5}));
}

TEST_F(FaultyExecutor, copies_half_and_says_so_in_the_record_alone) {
  make({.fault = executor_fault::copy_half});
  const buffer target = device_->allocate(8).value();
  std::vector<char> sent(8, 'x');
  std::vector<char> back(8, '.');
  ASSERT_TRUE(device_->copy_async(on_, target.address, sent.data(), 8, copy_direction::h2d));
  ASSERT_TRUE(device_->copy_async(on_, back.data(), target.address, 8, copy_direction::d2h));
  launch(1);
  sync();
  EXPECT_EQ(std::string(back.begin(), back.end()), "xxxx....");
  EXPECT_EQ(seen_.activities()[0].moved_bytes, 4u);
  EXPECT_EQ(seen_.submissions()[0].asked_bytes, 8u);
  EXPECT_EQ(order_, std::vector<int>{1});  // a launch has no half
  EXPECT_EQ(device_->count().struck, 2u);
}

TEST_F(FaultyExecutor, stamps_records_and_events_at_the_enqueue) {
  make({.fault = executor_fault::stamp_at_enqueue, .range = range_label{3}});
  gate open;
  const event before = device_->create_event().value();
  const event after = device_->create_event().value();
  {
    // Struck too, so that its record ends at its stamp: an honest record ends a little after.
    const scoped_range struck(*device_, range_label{3});
    ASSERT_TRUE(device_->record_event(on_, before));
  }
  sync();
  ASSERT_TRUE(device_->launch(on_, hold_until(open)));
  {
    const scoped_range struck(*device_, range_label{3});
    launch(1);
    ASSERT_TRUE(device_->record_event(on_, after));
  }
  const std::int64_t enqueued = host_now().ns;
  open.open();
  sync();
  const auto records = seen_.activities();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_GE(records[1].end_ns, enqueued);  // the hold: honest
  EXPECT_LE(records[2].end_ns, enqueued);
  EXPECT_LT(records[2].start_ns, records[1].end_ns);
  EXPECT_LE(records[3].end_ns, enqueued);
  EXPECT_LE(device_->elapsed_ns(before, after).value(), enqueued - records[0].end_ns);
  EXPECT_EQ(device_->elapsed_ns(before, after).value(), records[3].end_ns - records[0].end_ns);
}

TEST_F(FaultyExecutor, swaps_neighbours) {
  make({.fault = executor_fault::reorder, .first = 1, .every = 3});
  launch_five();
  EXPECT_EQ(order_, (std::vector<int>{0, 2, 1, 3, 4}));  // 4 has no successor before the wait
  EXPECT_EQ(reported(), (ids{1, 3, 2, 4, 5}));
}

TEST_F(FaultyExecutor, reorder_does_not_outlive_a_wait) {
  make({.fault = executor_fault::reorder});
  for (int i = 0; i < 3; ++i) {
    launch(i);
    sync();
  }
  EXPECT_EQ(order_, (std::vector<int>{0, 1, 2}));
}

TEST_F(FaultyExecutor, strikes_only_what_its_plan_names) {
  make({.fault = executor_fault::drop,
        .kind = operation_kind::copy,
        .direction = copy_direction::d2h});
  const buffer target = device_->allocate(1).value();
  char sent = 'x';
  char back = '.';
  ASSERT_TRUE(device_->copy_async(on_, target.address, &sent, 1, copy_direction::h2d));
  ASSERT_TRUE(device_->copy_async(on_, &back, target.address, 1, copy_direction::d2h));
  ASSERT_FALSE(device_->copy_async(on_, &back, nullptr, 1, copy_direction::d2h));
  launch(1);
  sync();
  EXPECT_EQ(back, '.');
  EXPECT_EQ(reported(), (ids{1, 4}));
}

}  // namespace
}  // namespace assay::device
