// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file records that repeat the submission in place of what the worker did, or that
// arrive after synchronize() has returned, would go unnoticed: the ground truth of every counter.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/device/host_copy.h"
#include "tests/device/device_fixture.h"
#include "tests/device/kernels.h"

namespace assay::device {
namespace {

class Records : public two_streams {
 protected:
  void SetUp() override {
    two_streams::SetUp();
    device_->set_observer(&seen_);
  }
};

TEST_F(Records, copies_carry_the_bytes_moved_and_the_direction_of_the_addresses) {
  const std::uint64_t sizes[] = {0,
                                 1,
                                 63,
                                 copy_chunk_bytes - 1,
                                 copy_chunk_bytes,
                                 copy_chunk_bytes + 1,
                                 3 * copy_chunk_bytes + 5};
  std::vector<std::byte> host(4 * copy_chunk_bytes, std::byte{9});
  const buffer a = device_->allocate(host.size()).value();
  const buffer b = device_->allocate(host.size()).value();
  for (const std::uint64_t bytes : sizes) {
    ASSERT_TRUE(device_->copy_async(first_, a.address, host.data(), bytes, copy_direction::h2d));
    ASSERT_TRUE(device_->copy_async(first_, b.address, a.address, bytes, copy_direction::d2d));
    ASSERT_TRUE(device_->copy_async(first_, host.data(), b.address, bytes, copy_direction::d2h));
  }
  sync(first_);
  const auto records = seen_.activities();
  ASSERT_EQ(records.size(), 3 * std::size(sizes));
  const copy_direction cycle[] = {copy_direction::h2d, copy_direction::d2d, copy_direction::d2h};
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].kind, operation_kind::copy);
    EXPECT_EQ(records[i].moved_bytes, sizes[i / 3]);
    EXPECT_EQ(records[i].direction, cycle[i % 3]);
    EXPECT_EQ(records[i].executed_blocks, 0u);
  }
}

TEST_F(Records, copy_moves_exactly_its_bytes) {
  std::vector<std::byte> source(copy_chunk_bytes + 100);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::byte(i * 131 >> 3);
  std::vector<std::byte> target(source.size(), std::byte{0xee});
  const std::size_t bytes = source.size() - 50;
  EXPECT_EQ(copy_in_chunks(target.data(), source.data(), bytes), bytes);
  EXPECT_TRUE(std::equal(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(bytes),
                         target.begin()));
  EXPECT_EQ(std::vector<std::byte>(target.end() - 50, target.end()),
            std::vector<std::byte>(50, std::byte{0xee}));
}

TEST_F(Records, launches_carry_the_blocks_that_ran_and_what_they_tallied) {
  std::atomic<std::uint32_t> runs{0};
  ASSERT_TRUE(device_->launch(second_, tally(runs, 5)));
  sync(second_);
  EXPECT_EQ(runs.load(), 5u);
  const auto records = seen_.activities();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].kind, operation_kind::launch);
  EXPECT_EQ(records[0].executed_blocks, 5u);
  EXPECT_EQ(records[0].weight_bytes, 100u + 101 + 102 + 103 + 104);
  EXPECT_EQ(records[0].kv_bytes, 35u);
  EXPECT_EQ(records[0].moved_bytes, 0u);
  EXPECT_EQ(records[0].stream, second_.index);
  EXPECT_EQ(records[0].worker_tid, device_->worker_tids()[second_.index]);
}

TEST_F(Records, times_of_a_stream_are_in_order_and_apart) {
  std::atomic<std::uint32_t> runs{0};
  const event mark = device_->create_event().value();
  const buffer target = device_->allocate(64).value();
  const std::byte sent[64] = {};
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(device_->launch(first_, tally(runs, 3)));
    ASSERT_TRUE(device_->copy_async(first_, target.address, sent, 64, copy_direction::h2d));
    if (i % 5 == 0) {
      ASSERT_TRUE(device_->record_event(first_, mark));
    }
  }
  sync(first_);
  const std::int64_t after = host_now().ns;
  const auto submissions = seen_.submissions();
  const auto records = seen_.activities();
  ASSERT_EQ(records.size(), 440u);
  std::int64_t last = submissions.front().call_start_ns;
  for (const auto& record : records) {
    EXPECT_LE(last, record.start_ns);
    EXPECT_LE(record.start_ns, record.end_ns);
    last = record.end_ns;
  }
  EXPECT_LE(last, after);
}

TEST_F(Records, start_is_the_workers_and_not_the_calls) {
  gate open;
  std::atomic<std::uint32_t> runs{0};
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  ASSERT_TRUE(device_->launch(first_, tally(runs, 1)));
  const std::int64_t opened = host_now().ns;
  open.open();
  sync(first_);
  EXPECT_GE(seen_.activities()[1].start_ns, opened);
  EXPECT_LE(seen_.submissions()[1].call_end_ns, opened);
}

TEST_F(Records, synchronize_returns_after_the_observer_was_told) {
  class slow_observer final : public observer {
   public:
    void on_submission(const submission_record&) noexcept override {}
    void on_activity(const activity_record&) noexcept override {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      told.fetch_add(1);
    }
    void on_memory(const memory_record&) noexcept override {}
    std::atomic<int> told{0};
  } slow;
  device_->set_observer(&slow);
  std::atomic<std::uint32_t> runs{0};
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(device_->launch(first_, tally(runs, 1)));
    sync(first_);
    EXPECT_EQ(slow.told.load(), i);
  }
  device_->set_observer(nullptr);
}

TEST_F(Records, submissions_are_dense_ordered_and_joined_by_correlation) {
  std::atomic<std::uint32_t> runs{0};
  const event mark = device_->create_event().value();
  const buffer target = device_->allocate(16).value();
  const int sent[4] = {};
  ASSERT_TRUE(device_->launch(first_, tally(runs, 2)));
  ASSERT_TRUE(device_->record_event(first_, mark));
  ASSERT_TRUE(device_->wait_event(second_, mark));
  ASSERT_TRUE(device_->copy_async(second_, target.address, sent, 16, copy_direction::h2d));
  sync(second_);
  const auto submissions = seen_.submissions();
  const operation_kind kinds[] = {operation_kind::launch, operation_kind::event_record,
                                  operation_kind::event_wait, operation_kind::copy,
                                  operation_kind::synchronize};
  ASSERT_EQ(submissions.size(), std::size(kinds));
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    EXPECT_EQ(submissions[i].correlation, i + 1);
    EXPECT_EQ(submissions[i].kind, kinds[i]);
    EXPECT_EQ(submissions[i].stream, i < 2 ? first_.index : second_.index);
    EXPECT_TRUE(submissions[i].accepted);
    EXPECT_LE(submissions[i].call_start_ns, submissions[i].call_end_ns);
    EXPECT_EQ(submissions[i].asked_bytes, i == 3 ? 16u : 0u);
  }
  const auto records = seen_.activities();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].correlation, 1u);
  EXPECT_EQ(records[1].correlation, 2u);
  EXPECT_EQ(records[2].correlation, 4u);
}

TEST_F(Records, synchronize_call_spans_the_wait) {
  gate open;
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    open.open();
  });
  sync(first_);
  opener.join();
  const auto last = seen_.submissions().back();
  ASSERT_EQ(last.kind, operation_kind::synchronize);
  EXPECT_GE(last.call_end_ns, seen_.activities().front().end_ns);
}

TEST_F(Records, range_belongs_to_the_thread_and_to_the_device) {
  auto other_device = host_device::create({4096, 0}).value();
  std::atomic<std::uint32_t> runs{0};
  const scoped_range outer(*device_, std::uint16_t{4});
  EXPECT_EQ(other_device->set_range(0), 0);  // a range of one device is not open on another
  ASSERT_TRUE(device_->launch(first_, tally(runs, 1)));
  {
    const scoped_range inner(*device_, std::uint16_t{5});
    ASSERT_TRUE(device_->launch(first_, tally(runs, 1)));
  }
  ASSERT_TRUE(device_->launch(first_, tally(runs, 1)));
  std::thread([&] { EXPECT_TRUE(device_->launch(second_, tally(runs, 1))); }).join();
  ASSERT_TRUE(device_->allocate(1));
  const auto submissions = seen_.submissions();
  ASSERT_EQ(submissions.size(), 4u);
  EXPECT_EQ(submissions[0].range, 4);
  EXPECT_EQ(submissions[1].range, 5);
  EXPECT_EQ(submissions[2].range, 4);
  EXPECT_EQ(submissions[3].range, 0);
  EXPECT_EQ(seen_.memory().front().range, 4);
}

TEST_F(Records, observer_can_be_taken_off_and_put_back_between_steps) {
  std::atomic<std::uint32_t> runs{0};
  for (int step = 0; step < 4; ++step) {
    device_->set_observer(step % 2 == 0 ? &seen_ : nullptr);
    ASSERT_TRUE(device_->launch(first_, tally(runs, 1)));
    sync(first_);
  }
  EXPECT_EQ(runs.load(), 4u);
  EXPECT_EQ(seen_.activities().size(), 2u);
  EXPECT_EQ(seen_.submissions().size(), 4u);
  EXPECT_EQ(seen_.submissions()[2].correlation, 5u);  // unseen calls have their numbers too
}

}  // namespace
}  // namespace assay::device
