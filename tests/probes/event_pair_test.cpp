// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a span could be an earlier step's, a failed read could pass for a time, and a step
// that nobody timed for one that took nothing.
#include "probes/cuda_events/event_pair_probe.h"

#include <limits>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Events whose stream is moved on by the test.
class fake_events final : public event_source {
 public:
  explicit fake_events(std::size_t count) : events(count) {}

  result<void> record(std::size_t which) override {
    if (refuses_records) return ASSAY_FAIL(unavailable, "no record today; come tomorrow");
    events.at(which) = {true, now_ms, recorded++};
    return {};
  }
  result<bool> is_reached(std::size_t which) override {
    if (broken) return ASSAY_FAIL(unavailable, "an illegal address; the device is lost");
    EXPECT_TRUE(events.at(which).is_recorded);
    return events.at(which).place < reached;
  }
  result<float> elapsed_ms(std::size_t from, std::size_t to) override {
    if (unreadable) return ASSAY_FAIL(unavailable, "the events are of two devices");
    EXPECT_TRUE(events.at(from).is_recorded && events.at(to).is_recorded);
    return given.value_or(static_cast<float>(events[to].at_ms - events[from].at_ms));
  }

  struct entry {
    bool is_recorded = false;
    double at_ms = 0.0;
    std::size_t place = 0;
  };
  std::vector<entry> events;
  double now_ms = 0.0;
  std::size_t recorded = 0;
  std::size_t reached = 1'000'000;  ///< records that the stream has passed
  bool refuses_records = false;
  bool broken = false;
  bool unreadable = false;
  std::optional<float> given;
};

class EventPair : public testing::Test {
 protected:
  static constexpr std::size_t pairs = 3;
  EventPair() {
    auto owned = std::make_unique<fake_events>(2 * pairs);
    events = owned.get();
    probe = std::make_unique<event_pair_probe>(std::move(owned), pairs);
  }

  void run_step(std::uint64_t step, double took_ms) {
    ASSERT_TRUE(probe->begin(step));
    events->now_ms += took_ms;
    ASSERT_TRUE(probe->end());
    events->now_ms += 0.25;  // between two steps
  }

  std::vector<std::pair<std::uint64_t, std::int64_t>> taken() {
    std::vector<std::pair<std::uint64_t, std::int64_t>> all;
    const auto spans = probe->take();
    EXPECT_TRUE(spans) << spans.error().message;
    if (spans)
      for (const event_span& each : *spans) all.emplace_back(each.step, each.took_ns);
    return all;
  }

  fake_events* events = nullptr;
  std::unique_ptr<event_pair_probe> probe;
};

TEST_F(EventPair, gives_each_step_its_own_time_once) {
  for (std::uint64_t round = 0; round < 4; ++round) {
    run_step(10 * round, 1.0);
    run_step(10 * round + 1, 2.5);
    EXPECT_EQ(probe->waiting_count(), 2U);
    EXPECT_THAT(taken(), ElementsAre(std::pair(10 * round, 1'000'000),
                                     std::pair(10 * round + 1, 2'500'000)));
    EXPECT_THAT(taken(), IsEmpty());
  }
  EXPECT_EQ(probe->unread_count(), 0U);
}

TEST_F(EventPair, waits_for_what_the_stream_has_not_reached) {
  run_step(1, 1.0);
  run_step(2, 2.0);
  events->reached = 3;  // the second step has begun
  EXPECT_THAT(taken(), ElementsAre(std::pair(1U, 1'000'000)));
  EXPECT_EQ(probe->waiting_count(), 1U);
  events->reached = 4;
  EXPECT_THAT(taken(), ElementsAre(std::pair(2U, 2'000'000)));
}

TEST_F(EventPair, never_records_anew_what_nobody_read) {
  for (std::uint64_t step = 0; step < 5; ++step) run_step(step, 1.0 + static_cast<double>(step));
  EXPECT_EQ(probe->unread_count(), 2U);
  EXPECT_THAT(taken(), ElementsAre(std::pair(0U, 1'000'000), std::pair(1U, 2'000'000),
                                   std::pair(2U, 3'000'000)));
  run_step(5, 7.0);
  EXPECT_THAT(taken(), ElementsAre(std::pair(5U, 7'000'000)));
  EXPECT_EQ(probe->unread_count(), 2U);
}

TEST_F(EventPair, does_not_read_a_step_that_is_still_open) {
  ASSERT_TRUE(probe->begin(1));
  EXPECT_THAT(taken(), IsEmpty());
  events->now_ms += 1.0;
  ASSERT_TRUE(probe->end());
  EXPECT_THAT(taken(), ElementsAre(std::pair(1U, 1'000'000)));
}

TEST_F(EventPair, says_that_a_read_failed_and_goes_on_behind_it) {
  run_step(1, 1.0);
  events->unreadable = true;
  const auto failed = probe->take();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("two devices"));
  EXPECT_EQ(probe->unread_count(), 1U);
  events->unreadable = false;
  EXPECT_THAT(taken(), IsEmpty()) << "a read that failed is no span later either";
  run_step(2, 2.0);
  EXPECT_THAT(taken(), ElementsAre(std::pair(2U, 2'000'000)));
}

TEST_F(EventPair, hands_on_a_device_that_is_lost) {
  run_step(1, 1.0);
  events->broken = true;
  const auto lost = probe->take();
  ASSERT_FALSE(lost);
  EXPECT_THAT(lost.error().message, HasSubstr("illegal address"));
}

TEST_F(EventPair, takes_no_time_that_is_none) {
  for (const float given :
       {-0.001F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    run_step(1, 1.0);
    events->given = given;
    const auto failed = probe->take();
    ASSERT_FALSE(failed) << given;
    EXPECT_EQ(failed.error().kind, error_kind::internal);
    events->given.reset();
  }
  EXPECT_EQ(probe->unread_count(), 3U);
}

TEST_F(EventPair, a_step_whose_record_was_refused_has_no_span) {
  run_step(1, 1.0);
  ASSERT_EQ(taken().size(), 1U);
  events->refuses_records = true;
  EXPECT_FALSE(probe->begin(2));
  events->refuses_records = false;
  ASSERT_TRUE(probe->begin(3));
  events->refuses_records = true;
  EXPECT_FALSE(probe->end()) << "the ring holds an end from step 1";
  events->refuses_records = false;
  EXPECT_THAT(taken(), IsEmpty());
  EXPECT_EQ(probe->unread_count(), 2U);
  run_step(4, 4.0);
  EXPECT_THAT(taken(), ElementsAre(std::pair(4U, 4'000'000)));
}

TEST_F(EventPair, refuses_steps_within_steps) {
  EXPECT_EQ(probe->end().error().kind, error_kind::usage);
  ASSERT_TRUE(probe->begin(1));
  EXPECT_EQ(probe->begin(2).error().kind, error_kind::usage);
  ASSERT_TRUE(probe->end());
  EXPECT_EQ(probe->end().error().kind, error_kind::usage);
}

TEST_F(EventPair, says_how_far_a_time_may_be_off) {
  run_step(1, 1.0);
  run_step(2, 20'000.0);  // beyond 16 s a bit of the f32 is 2 us
  const auto spans = probe->take().value();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].error_ns, 501);
  EXPECT_GT(spans[1].error_ns, 1'400);
  EXPECT_LT(spans[1].error_ns, 1'600);
}

}  // namespace
}  // namespace assay::probes
