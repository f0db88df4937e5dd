// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a device that skips, halves or repeats operations would pass for ground truth.
#include "probes/sentinel/sentinel_probe.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/host_device/host_device_probe.h"
#include "probes/sentinel/fingerprint.h"
#include "probes/sentinel/known_answer.h"
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

constexpr std::uint64_t limit_bytes = 4 << 20;  // a sixteenth is less than 1 MiB
constexpr std::int64_t copy_bytes = (limit_bytes / 16) + 4099;

class Sentinel : public testing::Test {
 protected:
  Sentinel()
      : honest_(host_device::create({.memory_limit_bytes = limit_bytes}).value()),
        device_(*honest_),
        stream_(honest_->create_stream().value()) {
    honest_->set_observer(&observer_);
  }

  /// One issue as the harness makes it; the records of the issue alone.
  recorded_trace issue(sentinel_probe& sentinel) {
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
};

TEST_F(Sentinel, names_all_that_its_range_shows) {
  const auto sentinel = sentinel_probe::create(device_, stream_).value();
  const recorded_trace trace = issue(*sentinel);
  const auto known = trace.of_kind(ASSAY_SENTINEL);
  ASSERT_EQ(known.size(), 3u);
  EXPECT_EQ(known[0].direction, ASSAY_H2D);
  EXPECT_EQ(known[0].amount, copy_bytes);
  EXPECT_EQ(known[0].extra[0], 1);
  EXPECT_EQ(known[1].amount, 7919);
  EXPECT_EQ(known[1].extra[0], 2);
  EXPECT_EQ(known[2].direction, ASSAY_D2H);
  EXPECT_EQ(known[2].amount, copy_bytes);
  EXPECT_THAT(verdicts(trace), testing::ElementsAre(1, 1, 1));

  const auto shown = trace.of_kind(ASSAY_ACTIVITY);
  ASSERT_EQ(shown.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(shown[i].range, static_cast<int>(telemetry::range::sentinel));
    EXPECT_EQ(shown[i].direction, known[i].direction);
    EXPECT_GE(shown[i].start_ns, known[i].start_ns);
    EXPECT_LE(shown[i].end_ns, known[i].end_ns);
  }
  EXPECT_EQ(shown[0].amount, known[0].amount);
  EXPECT_EQ(shown[1].extra[0], known[1].amount);
  EXPECT_EQ(shown[2].amount, known[2].amount);
  EXPECT_GE(known[1].extra[1], sentinel_probe::spin_ns);
  EXPECT_GE(shown[1].end_ns - shown[1].start_ns, known[1].extra[1])
      << "the launch cannot have run for longer than its record says";
}

TEST_F(Sentinel, follows_its_records) {
  const auto sentinel = sentinel_probe::create(device_, stream_).value();
  const recorded_trace trace = issue(*sentinel);
  bool has_begun = false;
  for (const auto& record : trace.all) {
    has_begun |= record.kind == ASSAY_SENTINEL;
    EXPECT_EQ(record.kind == ASSAY_SENTINEL, has_begun);
  }
}

TEST_F(Sentinel, allocates_once_and_frees_under_its_range) {
  {
    const auto sentinel = sentinel_probe::create(device_, stream_).value();
    ASSERT_TRUE(sentinel->issue());
    ASSERT_TRUE(sentinel->issue());
  }
  recorded_trace trace;
  ASSERT_TRUE(observer_.drain(trace));
  const auto memory = trace.of_kind(ASSAY_MEMORY);
  ASSERT_EQ(memory.size(), 2u);
  for (const auto& record : memory)
    EXPECT_EQ(record.range, static_cast<int>(telemetry::range::sentinel));
  EXPECT_EQ(honest_->set_range(0), 0) << "the range is restored";
}

TEST_F(Sentinel, is_due_at_first_and_each_second) {
  const auto sentinel = sentinel_probe::create(device_, stream_).value();
  const host_time start = host_now();
  EXPECT_TRUE(sentinel->is_due(start));
  ASSERT_TRUE(sentinel->issue());
  EXPECT_FALSE(sentinel->is_due(start));
  EXPECT_TRUE(sentinel->is_due({host_now().ns + sentinel_probe::interval_ns}));
}

struct lie_case {
  device_lie lie;
  std::vector<int> verdicts;  // h2d copy, launch, d2h copy
};

class SentinelLie : public Sentinel, public testing::WithParamInterface<lie_case> {};

TEST_P(SentinelLie, is_caught_also_after_an_honest_issue) {
  const auto sentinel = sentinel_probe::create(device_, stream_).value();
  EXPECT_THAT(verdicts(issue(*sentinel)), testing::ElementsAre(1, 1, 1));
  device_.lie = GetParam().lie;
  EXPECT_THAT(verdicts(issue(*sentinel)), testing::ElementsAreArray(GetParam().verdicts));
  EXPECT_FALSE(sentinel->is_intact());
  device_.lie = device_lie::none;
  EXPECT_THAT(verdicts(issue(*sentinel)), testing::ElementsAre(1, 1, 1));
  EXPECT_TRUE(sentinel->is_intact());
}

INSTANTIATE_TEST_SUITE_P(
    Each, SentinelLie,
    testing::Values(lie_case{device_lie::drops_h2d, {0, 0, 0}},  // the old count doubles
                    lie_case{device_lie::drops_d2h, {0, 0, 0}},
                    lie_case{device_lie::copies_all_but_one_byte, {0, 1, 0}},
                    lie_case{device_lie::leaves_a_hole, {0, 1, 0}},
                    lie_case{device_lie::drops_launches, {1, 0, 1}},
                    lie_case{device_lie::runs_one_block_less, {1, 0, 1}},
                    lie_case{device_lie::runs_launches_twice, {1, 0, 1}},
                    lie_case{device_lie::launches_before_the_copy, {1, 0, 1}}));

TEST_F(Sentinel, hands_on_a_refusal) {
  const auto sentinel = sentinel_probe::create(device_, stream_).value();
  device_.lie = device_lie::refuses_launches;
  const auto refused = sentinel->issue();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::usage);
  EXPECT_FALSE(sentinel->is_intact());
  recorded_trace trace;
  ASSERT_TRUE(sentinel->report(trace));
  EXPECT_TRUE(trace.all.empty()) << "what was not asked for needs not show";
}

TEST_F(Sentinel, keeps_its_report_until_it_is_taken) {
  const auto sentinel = sentinel_probe::create(device_, stream_).value();
  ASSERT_TRUE(sentinel->issue());
  recorded_trace trace;
  trace.refuses = true;
  EXPECT_FALSE(sentinel->report(trace));
  trace.refuses = false;
  ASSERT_TRUE(sentinel->report(trace));
  ASSERT_TRUE(sentinel->report(trace));
  EXPECT_EQ(trace.all.size(), 3u);
}

TEST_F(Sentinel, says_that_the_arena_is_full) {
  const auto hog = honest_->allocate(limit_bytes - 4096).value();
  const auto sentinel = sentinel_probe::create(device_, stream_);
  ASSERT_FALSE(sentinel);
  EXPECT_EQ(sentinel.error().kind, error_kind::out_of_memory);
  ASSERT_TRUE(honest_->free(hog));
}

}  // namespace
}  // namespace assay::probes
