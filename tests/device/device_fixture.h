// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A small host device with two streams.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "runtime/device/host_device.h"
#include "tests/device/recording_observer.h"

namespace assay::device {

class two_streams : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = host_device::create({std::uint64_t{4} << 20, 5'000, 2});
    ASSERT_TRUE(made) << made.error().message;
    device_ = std::move(*made);
    first_ = device_->create_stream().value();
    second_ = device_->create_stream().value();
  }

  void sync(stream on) { ASSERT_TRUE(device_->synchronize(on)); }

  recording_observer seen_;  // outlives the device
  std::unique_ptr<host_device> device_;
  stream first_;
  stream second_;
};

}  // namespace assay::device
