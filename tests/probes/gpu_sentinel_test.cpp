// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a GPU that skips, halves or repeats operations would pass for ground truth. The
// judgement is tried on the host device.
#include "probes/gpu_sentinel/gpu_sentinel_probe.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/host_device/host_device_probe.h"
#include "runtime/device/host_device.h"
#include "runtime/telemetry/range.h"
#include "tests/probes/host_sentinel_backend.h"
#include "tests/probes/lying_device.h"
#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using device::host_device;
using test::device_lie;
using test::lying_device;
using test::recorded_trace;

constexpr std::uint64_t limit_bytes = 4 << 20;
constexpr std::int64_t copy_bytes = (limit_bytes / 16) + 4099;

class GpuSentinel : public testing::Test {
 protected:
  GpuSentinel()
      : honest_(host_device::create({.memory_limit_bytes = limit_bytes, .threads = 1}).value()),
        device_(*honest_),
        stream_(honest_->create_stream().value()) {
    honest_->set_observer(&observer_);
  }

  gpu_sentinel_backend backend() {
    return test::host_sentinel_backend(device_, stream_, spin_error_ns);
  }

  std::unique_ptr<gpu_sentinel_probe> create() {
    return gpu_sentinel_probe::create(device_, stream_, backend()).value();
  }

  /// One issue as the harness makes it; the records of the issue alone.
  recorded_trace issue(gpu_sentinel_probe& sentinel) {
    recorded_trace before;
    EXPECT_TRUE(observer_.drain(before));
    recorded_trace trace;
    EXPECT_TRUE(sentinel.issue());
    EXPECT_TRUE(observer_.drain(trace));
    EXPECT_TRUE(sentinel.report(trace));
    return trace;
  }

  std::vector<int> verdicts(const recorded_trace& trace) {
    std::vector<int> ops;
    for (const auto& record : trace.of_kind(ASSAY_SENTINEL)) ops.push_back(record.op);
    return ops;
  }

  host_device_probe observer_{1024};
  std::unique_ptr<host_device> honest_;
  lying_device device_;
  device::stream stream_;
  std::int64_t spin_error_ns = 0;
};

TEST_F(GpuSentinel, names_all_that_its_range_shows) {
  const auto sentinel = create();
  EXPECT_EQ(sentinel->copy_bytes(), static_cast<std::uint64_t>(copy_bytes));
  const recorded_trace trace = issue(*sentinel);
  EXPECT_THAT(verdicts(trace), testing::ElementsAre(1, 1, 1));
  EXPECT_TRUE(sentinel->is_intact());
  const auto known = trace.of_kind(ASSAY_SENTINEL);
  const auto shown = trace.of_kind(ASSAY_ACTIVITY);
  ASSERT_EQ(known.size(), 3U);
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(known[0].direction, ASSAY_H2D);
  EXPECT_EQ(known[1].direction, 0);
  EXPECT_EQ(known[2].direction, ASSAY_D2H);
  EXPECT_EQ(known[0].amount, copy_bytes);
  EXPECT_EQ(known[1].amount, 7919);
  EXPECT_EQ(known[2].amount, copy_bytes);
  EXPECT_THAT((std::vector{known[0].extra[0], known[1].extra[0], known[2].extra[0]}),
              testing::ElementsAre(1, 2, 1));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(shown[i].range, static_cast<int>(telemetry::range::sentinel));
    EXPECT_EQ(i == 1 ? shown[i].extra[0] : shown[i].amount, known[i].amount);
    EXPECT_GE(shown[i].start_ns, known[i].start_ns);
    EXPECT_LE(shown[i].end_ns, known[i].end_ns);
  }
  EXPECT_GE(known[1].extra[1], gpu_sentinel_probe::spin_ns);
  EXPECT_GE(shown[1].end_ns - shown[1].start_ns, known[1].extra[1]);
}

TEST_F(GpuSentinel, allocates_once_and_frees_under_its_range) {
  {
    const auto sentinel = create();
    ASSERT_TRUE(sentinel->issue());
    ASSERT_TRUE(sentinel->issue());
  }
  recorded_trace trace;
  ASSERT_TRUE(observer_.drain(trace));
  const auto memory = trace.of_kind(ASSAY_MEMORY);
  ASSERT_EQ(memory.size(), 2U);
  for (const auto& record : memory)
    EXPECT_EQ(record.range, static_cast<int>(telemetry::range::sentinel));
  EXPECT_EQ(honest_->set_range(0), 0) << "the range is restored";
}

TEST_F(GpuSentinel, is_due_at_first_and_each_second) {
  const auto sentinel = create();
  const host_time start = host_now();
  EXPECT_TRUE(sentinel->is_due(start));
  ASSERT_TRUE(sentinel->issue());
  EXPECT_FALSE(sentinel->is_due(start));
  EXPECT_TRUE(sentinel->is_due({host_now().ns + gpu_sentinel_probe::interval_ns}));
}

struct lie_case {
  device_lie lie;
  std::vector<int> verdicts;  // h2d copy, launch, d2h copy
};

class GpuSentinelLie : public GpuSentinel, public testing::WithParamInterface<lie_case> {};

TEST_P(GpuSentinelLie, is_caught_also_after_an_honest_issue) {
  const auto sentinel = create();
  EXPECT_THAT(verdicts(issue(*sentinel)), testing::ElementsAre(1, 1, 1));
  device_.lie = GetParam().lie;
  EXPECT_THAT(verdicts(issue(*sentinel)), testing::ElementsAreArray(GetParam().verdicts));
  EXPECT_FALSE(sentinel->is_intact());
  device_.lie = device_lie::none;
  EXPECT_THAT(verdicts(issue(*sentinel)), testing::ElementsAre(1, 1, 1));
  EXPECT_TRUE(sentinel->is_intact());
}

INSTANTIATE_TEST_SUITE_P(
    Each, GpuSentinelLie,
    testing::Values(lie_case{device_lie::drops_h2d, {0, 0, 0}},  // the old count doubles
                    lie_case{device_lie::drops_d2h, {0, 0, 0}},
                    lie_case{device_lie::copies_all_but_one_byte, {0, 1, 0}},
                    lie_case{device_lie::leaves_a_hole, {0, 1, 0}},
                    lie_case{device_lie::drops_launches, {1, 0, 1}},
                    lie_case{device_lie::runs_one_block_less, {1, 0, 1}},
                    lie_case{device_lie::runs_launches_twice, {1, 0, 1}},
                    lie_case{device_lie::launches_before_the_copy, {1, 0, 1}}));

TEST_F(GpuSentinel, sees_a_launch_that_did_not_spin) {
  const auto sentinel = create();
  spin_error_ns = -gpu_sentinel_probe::spin_ns / 2;
  EXPECT_THAT(verdicts(issue(*sentinel)), testing::ElementsAre(1, 0, 1));
  EXPECT_EQ(issue(*sentinel).of_kind(ASSAY_SENTINEL)[1].extra[1], 0);
}

TEST_F(GpuSentinel, sends_something_else_each_time) {
  // A fetch that brings what an earlier issue left is caught for as long as anybody decodes.
  const auto sentinel = create();
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(sentinel->issue());
    ASSERT_TRUE(sentinel->is_intact());
    device_.lie = device_lie::copies_all_but_one_byte;
    ASSERT_TRUE(sentinel->issue());
    ASSERT_FALSE(sentinel->is_intact()) << i;
    device_.lie = device_lie::none;
  }
}

TEST_F(GpuSentinel, hands_on_a_refusal) {
  const auto sentinel = create();
  device_.lie = device_lie::refuses_launches;
  const auto refused = sentinel->issue();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::usage);
  EXPECT_FALSE(sentinel->is_intact());
  recorded_trace trace;
  ASSERT_TRUE(sentinel->report(trace));
  EXPECT_TRUE(trace.all.empty()) << "what was not asked for needs not show";
}

TEST_F(GpuSentinel, keeps_its_report_until_it_is_taken) {
  const auto sentinel = create();
  ASSERT_TRUE(sentinel->issue());
  recorded_trace trace;
  trace.refuses = true;
  EXPECT_FALSE(sentinel->report(trace));
  trace.refuses = false;
  ASSERT_TRUE(sentinel->report(trace));
  ASSERT_TRUE(sentinel->report(trace));
  EXPECT_EQ(trace.all.size(), 3U);
}

TEST_F(GpuSentinel, says_that_the_device_is_full) {
  const auto hog = honest_->allocate(limit_bytes - 4096).value();
  const auto sentinel = gpu_sentinel_probe::create(device_, stream_, backend());
  ASSERT_FALSE(sentinel);
  EXPECT_EQ(sentinel.error().kind, error_kind::out_of_memory);
  ASSERT_TRUE(honest_->free(hog));
}

TEST(GpuFingerprint, is_of_one_launch_or_of_none) {
  const gpu_fingerprint right{7919, 1, 1'000, 301'000, 200'000};
  EXPECT_TRUE(right.is_of_one_launch(200'000));
  EXPECT_FALSE(right.is_of_one_launch(200'001));
  EXPECT_FALSE(gpu_fingerprint{}.is_of_one_launch(0)) << "untouched";
  const gpu_fingerprint wrong[] = {
      {7918, 1, 1'000, 301'000, 200'000}, {7919, 0, 1'000, 301'000, 200'000},
      {7919, 2, 1'000, 301'000, 200'000}, {15838, 1, 1'000, 301'000, 200'000},
      {7919, 1, 301'000, 1'000, 200'000}, {7919, 1, 1'000, 200'999, 200'000}};
  for (const gpu_fingerprint& each : wrong) EXPECT_FALSE(each.is_of_one_launch(200'000));
}

}  // namespace
}  // namespace assay::probes
