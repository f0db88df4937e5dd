// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a call that is wrong would reach a worker and move bytes that nobody owns, or
// be refused without a record of the refusal.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/device/device_fixture.h"
#include "tests/device/kernels.h"

namespace assay::device {
namespace {

class Refusal : public two_streams {
 protected:
  void SetUp() override {
    two_streams::SetUp();
    here_ = device_->allocate(1024).value();
    device_->set_observer(&seen_);
  }

  void expect_refused(const result<void>& answer, const std::string& reason) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, error_kind::usage);
    EXPECT_NE(answer.error().message.find(reason), std::string::npos) << answer.error().message;
    ++refused_;
  }

  void TearDown() override {
    ASSERT_TRUE(device_->synchronize(first_));
    EXPECT_TRUE(seen_.activities().empty());
    const auto submissions = seen_.submissions();
    ASSERT_EQ(submissions.size(), refused_ + 1);
    for (std::size_t i = 0; i < refused_; ++i) {
      EXPECT_FALSE(submissions[i].accepted);
      EXPECT_LE(submissions[i].call_start_ns, submissions[i].call_end_ns);
    }
  }

  std::byte host_[1024] = {};
  buffer here_;
  std::size_t refused_ = 0;
};

TEST_F(Refusal, copies_whose_ends_lie_elsewhere) {
  using enum copy_direction;
  const auto copy = [&](void* destination, const void* source, std::uint64_t bytes,
                        copy_direction direction) {
    return device_->copy_async(first_, destination, source, bytes, direction);
  };
  std::byte* end = here_.address + device_->memory_limit_bytes();  // here_ is the first buffer
  expect_refused(copy(host_, host_ + 512, 8, h2d), "destination is not within the device");
  expect_refused(copy(here_.address, here_.address + 512, 8, h2d), "source is not within the host");
  expect_refused(copy(here_.address, host_, 8, d2h), "destination is not within the host");
  expect_refused(copy(host_, host_ + 512, 8, d2h), "source is not within the device");
  expect_refused(copy(here_.address, host_, 8, d2d), "source is not within the device");
  expect_refused(copy(host_, here_.address, 8, d2d), "destination is not within the device");
  expect_refused(copy(here_.address, nullptr, 8, h2d), "source is not within the host");
  expect_refused(copy(nullptr, here_.address, 8, d2h), "destination is not within the host");
  expect_refused(copy(end - 7, host_, 8, h2d), "destination is not within the device");
  expect_refused(copy(end, host_, 0, h2d), "destination is not within the device");
  expect_refused(copy(here_.address - 4, host_, 8, h2d), "destination is not within the device");
}

TEST_F(Refusal, copies_whose_length_overflows_or_reaches_into_the_arena) {
  using enum copy_direction;
  const auto copy = [&](void* destination, const void* source, std::uint64_t bytes,
                        copy_direction direction) {
    return device_->copy_async(first_, destination, source, bytes, direction);
  };
  const std::uint64_t all = ~std::uint64_t{0};
  expect_refused(copy(here_.address, host_, all, h2d), "destination is not within the device");
  expect_refused(copy(host_, here_.address, all, d2h), "destination is not within the host");
  expect_refused(copy(here_.address, here_.address - 64, 128, h2d),
                 "source is not within the host");
  expect_refused(copy(here_.address, here_.address + 63, 64, d2d), "overlap");
  expect_refused(copy(here_.address + 63, here_.address, 64, d2d), "overlap");
}

TEST_F(Refusal, streams_and_events_that_do_not_exist) {
  const stream no_stream{2};
  const event no_event{0};
  const event real = device_->create_event().value();
  const event later{real.index + 1};
  std::atomic<std::uint32_t> runs{0};
  expect_refused(device_->launch(no_stream, tally(runs, 1)), "stream 2 does not exist");
  expect_refused(device_->copy_async(no_stream, here_.address, host_, 8, copy_direction::h2d),
                 "stream 2");
  expect_refused(device_->synchronize(no_stream), "stream 2");
  expect_refused(device_->record_event(no_stream, real), "stream 2");
  expect_refused(device_->wait_event(no_stream, real), "stream 2");
  expect_refused(device_->record_event(first_, later), "event 1 does not exist");
  expect_refused(device_->wait_event(first_, later), "event 1");
  EXPECT_FALSE(device_->is_reached(later));
  EXPECT_FALSE(device_->elapsed_ns(later, no_event));
}

TEST_F(Refusal, kernels_without_a_body_or_blocks) {
  std::atomic<std::uint32_t> runs{0};
  expect_refused(device_->launch(first_, kernel{}), "no body");
  expect_refused(device_->launch(first_, tally(runs, 0)), "kernel tally has no body or no blocks");
}

TEST(Capacity, streams_and_events_end_with_an_error) {
  auto device = host_device::create({4096, 0}).value();
  for (std::uint32_t i = 0; i < host_device::stream_capacity; ++i)
    ASSERT_TRUE(device->create_stream()) << i;
  EXPECT_EQ(device->create_stream().error().kind, error_kind::usage);
  for (std::uint32_t i = 0; i < host_device::event_capacity; ++i)
    ASSERT_TRUE(device->create_event()) << i;
  EXPECT_EQ(device->create_event().error().kind, error_kind::usage);
}

TEST(Capacity, device_refuses_options_that_cannot_be) {
  EXPECT_FALSE(host_device::create({4096, -1}));
  EXPECT_FALSE(host_device::create({0, 1000}));
}

}  // namespace
}  // namespace assay::device
