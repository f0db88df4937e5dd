// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: weights that never arrived could pass for weights that did.
#include "probes/sentinel/content_check.h"

#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "probes/host_device/host_device_probe.h"
#include "runtime/device/host_device.h"
#include "runtime/telemetry/range.h"
#include "tests/probes/lying_device.h"
#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using device::host_device;
using test::device_lie;
using test::lying_device;
using test::recorded_trace;

class ContentCheck : public testing::Test {
 protected:
  ContentCheck()
      : honest_(host_device::create({.memory_limit_bytes = 1 << 20}).value()),
        device_(*honest_),
        stream_(honest_->create_stream().value()),
        there_(honest_->allocate(content_.size()).value()) {
    honest_->set_observer(&observer_);
  }

  void send() {
    ASSERT_TRUE(device_.copy_async(stream_, there_.address, content_.data(), content_.size(),
                                   device::copy_direction::h2d));
    ASSERT_TRUE(device_.synchronize(stream_));
  }

  std::vector<std::byte> content_ = std::vector<std::byte>(1000, std::byte{0x5a});
  host_device_probe observer_{64};
  std::unique_ptr<host_device> honest_;
  lying_device device_;
  device::stream stream_;
  device::buffer there_;
};

TEST_F(ContentCheck, tells_equal_from_different) {
  send();
  content_check check(device_, stream_);
  EXPECT_TRUE(check.compare(there_.address, content_).value());
  content_.back() ^= std::byte{1};
  EXPECT_FALSE(check.compare(there_.address, content_).value());
  EXPECT_TRUE(check.compare(there_.address + 10, std::span(content_).first(100)).value());
}

TEST_F(ContentCheck, does_not_take_a_fetch_that_never_ran_for_equal) {
  send();
  content_check check(device_, stream_);
  EXPECT_TRUE(check.compare(there_.address, content_).value());
  device_.lie = device_lie::drops_d2h;
  EXPECT_FALSE(check.compare(there_.address, content_).value());
}

TEST_F(ContentCheck, accounts_for_the_bytes_that_it_fetched) {
  send();
  content_check check(device_, stream_);
  recorded_trace loaded;
  ASSERT_TRUE(observer_.drain(loaded));
  ASSERT_TRUE(check.compare(there_.address, content_));
  recorded_trace trace;
  ASSERT_TRUE(observer_.drain(trace));
  ASSERT_TRUE(check.report(trace));
  ASSERT_TRUE(check.report(trace));
  const auto known = trace.of_kind(ASSAY_SENTINEL);
  const auto shown = trace.of_kind(ASSAY_ACTIVITY);
  ASSERT_EQ(known.size(), 1u);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(known[0].amount, 1000);
  EXPECT_EQ(known[0].direction, ASSAY_D2H);
  EXPECT_EQ(known[0].extra[0], 3);
  EXPECT_EQ(shown[0].amount, 1000);
  EXPECT_EQ(shown[0].range, static_cast<int>(telemetry::range::sentinel));
}

TEST_F(ContentCheck, refuses_to_compare_nothing) {
  EXPECT_EQ(content_check(device_, stream_).compare(there_.address, {}).error().kind,
            error_kind::usage);
}

}  // namespace
}  // namespace assay::probes
