// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file an event that is stamped at the enqueue, keeps a stale time, or lets a waiting
// stream through early would go unnoticed: the second clock of every duration counter.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "runtime/telemetry/clock.h"
#include "tests/device/device_fixture.h"
#include "tests/device/kernels.h"

namespace assay::device {
namespace {

class Event : public two_streams {
 protected:
  event make() { return device_->create_event().value(); }
  void record(stream on, event what) { ASSERT_TRUE(device_->record_event(on, what)); }
};

TEST_F(Event, is_reached_when_its_stream_gets_there_and_not_before) {
  gate open;
  const event after = make();
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  record(first_, after);
  EXPECT_FALSE(device_->is_reached(after).value());
  open.open();
  sync(first_);
  EXPECT_TRUE(device_->is_reached(after).value());
}

TEST_F(Event, elapsed_spans_what_ran_between_and_lies_within_the_host_span) {
  const event before = make();
  const event after = make();
  gate open;
  const host_time start = host_now();
  record(first_, before);
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  record(first_, after);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  // The first event may be reached as late as here; what follows is between the two.
  while (!device_->is_reached(before).value()) std::this_thread::yield();
  const host_time opened = host_now();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::int64_t held_ns = host_now() - opened;
  open.open();
  sync(first_);
  const std::int64_t host_span_ns = host_now() - start;
  const std::int64_t elapsed_ns = device_->elapsed_ns(before, after).value();
  EXPECT_GE(elapsed_ns, held_ns);
  EXPECT_LE(elapsed_ns, host_span_ns);
}

TEST_F(Event, elapsed_of_an_event_never_recorded_is_an_error) {
  const event recorded = make();
  const event never = make();
  record(first_, recorded);
  sync(first_);
  const auto elapsed = device_->elapsed_ns(recorded, never);
  ASSERT_FALSE(elapsed);
  EXPECT_EQ(elapsed.error().kind, error_kind::usage);
  EXPECT_NE(elapsed.error().message.find("event 1 was never recorded"), std::string::npos)
      << elapsed.error().message;
  EXPECT_FALSE(device_->elapsed_ns(never, recorded));
  EXPECT_FALSE(device_->is_reached(never));
}

TEST_F(Event, elapsed_never_returns_the_time_of_an_earlier_record) {
  const event start = make();
  const event again = make();
  record(first_, start);
  record(first_, again);
  sync(first_);
  ASSERT_TRUE(device_->elapsed_ns(start, again));
  gate open;
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  record(first_, again);
  const auto pending = device_->elapsed_ns(start, again);
  ASSERT_FALSE(pending);
  EXPECT_NE(pending.error().message.find("not reached"), std::string::npos);
  EXPECT_FALSE(device_->is_reached(again).value());
  open.open();
  sync(first_);
  EXPECT_TRUE(device_->elapsed_ns(start, again));
}

TEST_F(Event, late_stamp_of_an_older_record_does_not_replace_the_latest) {
  gate open;
  const event base = make();
  const event twice = make();
  record(second_, base);
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  record(first_, twice);   // record 1, held up
  record(second_, twice);  // record 2, reached at once
  sync(second_);
  const std::int64_t of_second = device_->elapsed_ns(base, twice).value();
  open.open();
  sync(first_);  // record 1 is reached now
  EXPECT_EQ(device_->elapsed_ns(base, twice).value(), of_second);
}

TEST_F(Event, wait_holds_a_stream_until_the_other_gets_there) {
  gate open;
  const event ready = make();
  const event passed = make();
  const buffer shared = device_->allocate(4).value();
  const int sent = 7;
  int back = 0;
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  ASSERT_TRUE(device_->copy_async(first_, shared.address, &sent, 4, copy_direction::h2d));
  record(first_, ready);
  ASSERT_TRUE(device_->wait_event(second_, ready));
  ASSERT_TRUE(device_->copy_async(second_, &back, shared.address, 4, copy_direction::d2h));
  record(second_, passed);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(device_->is_reached(passed).value());
  open.open();
  sync(second_);
  EXPECT_EQ(back, 7);
}

TEST_F(Event, wait_takes_the_record_that_was_latest_when_it_was_enqueued) {
  gate open;
  const event what = make();
  record(first_, what);
  sync(first_);
  ASSERT_TRUE(device_->wait_event(second_, what));  // on the reached record
  ASSERT_TRUE(device_->launch(first_, hold_until(open)));
  record(first_, what);
  sync(second_);  // would hang if it waited for the later record
  open.open();
  sync(first_);
}

// Of each accepted call of a kind its own correlation, and what it says that it waits for.
std::vector<correlation_id> told(const recording_observer& seen, operation_kind kind,
                                 correlation_id submission_record::*field) {
  std::vector<correlation_id> ids;
  for (const submission_record& each : seen.submissions())
    if (each.kind == kind) ids.push_back(each.*field);
  return ids;
}

TEST_F(Event, wait_names_the_recording_that_was_latest_when_it_was_enqueued) {
  device_->set_observer(&seen_);
  const event what = make();
  const event other = make();
  ASSERT_TRUE(device_->wait_event(second_, what));  // never recorded yet
  record(first_, what);
  record(first_, other);
  ASSERT_TRUE(device_->wait_event(second_, what));
  ASSERT_TRUE(device_->wait_event(second_, what));  // once more the same
  record(second_, what);                            // anew, on another stream
  ASSERT_TRUE(device_->wait_event(first_, what));
  ASSERT_TRUE(device_->wait_event(first_, other));
  EXPECT_FALSE(device_->wait_event(first_, event{77}));
  sync(first_);
  sync(second_);
  const auto recordings =
      told(seen_, operation_kind::event_record, &submission_record::correlation);
  ASSERT_EQ(recordings.size(), 3u);
  EXPECT_EQ(told(seen_, operation_kind::event_wait, &submission_record::awaited),
            (std::vector<correlation_id>{0, recordings[0], recordings[0], recordings[2],
                                         recordings[1], 0}));
  for (const operation_kind kind : {operation_kind::event_record, operation_kind::synchronize})
    for (const correlation_id each : told(seen_, kind, &submission_record::awaited))
      EXPECT_EQ(each, 0u) << "waits for no event";
}

TEST_F(Event, wait_for_an_event_never_recorded_holds_nothing_up) {
  ASSERT_TRUE(device_->wait_event(first_, make()));
  sync(first_);
}

}  // namespace
}  // namespace assay::device
