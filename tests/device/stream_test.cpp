// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a device that runs everything inside the call, out of order, or after
// synchronize() has returned would go unnoticed, and every timing rule would audit a fiction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "runtime/device/host_device.h"
#include "tests/device/kernels.h"

namespace assay::device {
namespace {

class Stream : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = host_device::create({1 << 22, 5'000});
    ASSERT_TRUE(made) << made.error().message;
    device_ = std::move(*made);
    first_ = device_->create_stream().value();
    second_ = device_->create_stream().value();
  }

  std::unique_ptr<host_device> device_;
  stream first_;
  stream second_;
};

TEST_F(Stream, copy_returns_before_it_is_done) {
  gate open;
  const buffer on_device = device_->allocate(4).value();
  const int sent = 42;
  int back = 0;
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  ASSERT_TRUE(device_->copy_async(first_, on_device.address, &sent, 4, copy_direction::h2d));
  ASSERT_TRUE(device_->copy_async(first_, &back, on_device.address, 4, copy_direction::d2h));
  const event after = device_->create_event().value();
  ASSERT_TRUE(device_->record_event(first_, after));
  EXPECT_FALSE(device_->is_reached(after).value());
  open.open();
  ASSERT_TRUE(device_->synchronize(first_));
  EXPECT_TRUE(device_->is_reached(after).value());
  EXPECT_EQ(back, 42);
}

TEST_F(Stream, runs_its_operations_in_order) {
  std::vector<int> order;
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(device_->launch(first_, append(order, i)));
  ASSERT_TRUE(device_->synchronize(first_));
  std::vector<int> expected(5000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

}  // namespace
}  // namespace assay::device
