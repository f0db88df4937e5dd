// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a sleep that nobody recorded could be told as what the caller ran, or a bound on
// that be none.
#include <cstdint>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/attribution/planted_trace.h"

namespace assay::attribution_test {
namespace {

// A pass of 10,000 ns: a call that waits for 8,000, then 2,000 of residual. The caller's readings
// lie 10,500 apart.
model::pass_total accounted(std::int64_t run_ns, std::int64_t turns_before,
                            std::int64_t turns_after) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 0);
  trace.thread(7, 1, 70'000, 0);
  trace.records.back().extra[1] = turns_before;
  trace.thread(8, 2, 5, 0);
  trace.pass(300);
  const std::int64_t begin_ns = trace.now_ns;
  trace.wait(8'000);
  trace.pass(2'000);
  const std::int64_t end_ns = trace.now_ns;
  trace.pass(200);
  trace.thread(8, 2, 9'999, 0);
  trace.thread(7, 1, 70'000 + run_ns, 50);
  trace.records.back().extra[1] = turns_after;
  trace.end(ASSAY_WINDOW_DECODE_STEP, 0);
  trace.records.back().start_ns = begin_ns;
  trace.records.back().end_ns = end_ns;
  return trace.investigate().decode;
}

TEST(Attribution, of_a_residual_the_caller_ran_all_but_what_it_was_off_its_core_for) {
  struct one {
    std::int64_t run_ns;
    std::int64_t at_least_ns;
    std::int64_t at_most_ns;
  };
  for (const one& each : {one{10'500, 2'000, 2'000}, one{9'500, 1'000, 2'000}, one{8'500, 0, 2'000},
                          one{500, 0, 500}}) {
    const model::pass_total decode = accounted(each.run_ns, 0, 0);
    EXPECT_EQ(decode.wall_ns, 10'000);
    EXPECT_EQ(decode.residual_ns, 2'000);
    EXPECT_EQ(decode.caller.passes, 1u);
    EXPECT_EQ(decode.caller.settled_passes, 0u) << "nobody told its turns";
    EXPECT_EQ(decode.caller.between_ns, 10'500);
    EXPECT_EQ(decode.caller.run_ns, each.run_ns);
    EXPECT_EQ(decode.caller.wait_ns, 50);
    EXPECT_EQ(decode.caller.calls_ns, 8'000);
    EXPECT_EQ(decode.caller.residual_run_ns, each.at_least_ns) << each.run_ns;
    EXPECT_EQ(decode.caller.residual_run_most_ns, each.at_most_ns) << each.run_ns;
  }
}

// It left its core once, for longer than there is time outside of the call: so inside of the call,
// and all of the residual it ran. A sleep outside takes a second turn, or leaves too little.
TEST(Attribution, a_caller_that_left_its_core_once_and_for_long_did_so_where_it_waits) {
  struct one {
    std::int64_t turns;
    std::int64_t run_ns;
    bool is_settled;
  };
  for (const one& each : {one{1, 2'400, true}, one{2, 2'400, false}, one{1, 7'999, true},
                          one{1, 8'000, false}, one{1, 8'500, false}, one{1, 1'999, false},
                          one{0, 10'000, true}, one{0, 1'000, false}, one{-1, 2'400, false}}) {
    const model::pass_account caller = accounted(each.run_ns, 40, 40 + each.turns).caller;
    const std::string what =
        std::to_string(each.turns) + " turns, ran " + std::to_string(each.run_ns);
    EXPECT_EQ(caller.settled_passes, each.is_settled ? 1u : 0u) << what;
    EXPECT_EQ(caller.residual_run_ns, each.is_settled ? 2'000 : 0) << what;
    EXPECT_EQ(caller.off_core_outside_ns, each.is_settled ? 0 : 2'000) << what;
    EXPECT_LE(caller.residual_run_ns, caller.residual_run_most_ns) << what;
  }
}

// A pass of 10,000 ns, of which the caller waits for the first 8,000 and ran 500; `also` adds
// calls.
model::pass_account accounted_with(const std::function<void(planted_trace&)>& also,
                                   std::int64_t run_ns = 500) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 0);
  trace.thread(7, 1, 70'000, 0);
  trace.wait(8'000);
  also(trace);
  trace.pass(2'000);
  trace.thread(7, 1, 70'000 + run_ns, 0);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 0);
  return trace.investigate().decode.caller;
}

// What another thread waits for says nothing of where the caller was: counted as the caller's own,
// it leaves no time outside of the calls, and a sleep there is told as what the caller ran.
TEST(Attribution, a_wait_of_another_thread_is_none_of_the_caller_s) {
  const auto another = [](planted_trace& to) {
    to.records.push_back(to.records.back());
    to.records.back().tid = 9;
    ++to.records.back().correlation;
  };
  const model::pass_account with = accounted_with(another);
  EXPECT_EQ(with.passes, 1u);
  EXPECT_EQ(with.calls_ns, 8'000);
  EXPECT_EQ(with.residual_run_ns, 0);
  EXPECT_LE(with.residual_run_ns, with.residual_run_most_ns);
}

TEST(Attribution, a_wait_counts_once_and_within_its_pass) {
  const auto earlier = [](planted_trace& to) { to.records.back().start_ns -= 5'000; };
  EXPECT_EQ(accounted_with(earlier).calls_ns, 8'000);
  EXPECT_EQ(accounted_with(earlier).residual_run_ns, 0);
  const auto twice = [](planted_trace& to) {
    to.records.push_back(to.records.back());
    ++to.records.back().correlation;
  };
  EXPECT_EQ(accounted_with(twice).calls_ns, 8'000);
  const auto unnamed = [](planted_trace& to) { to.records.back().tid = 0; };
  EXPECT_EQ(accounted_with(unnamed).calls_ns, 8'000) << "a recorder that tells no threads";
}

// No thread runs for longer than there is time. The kernel counts in ticks: by one it may be ahead.
TEST(Attribution, an_account_of_more_than_there_was_time_for_says_nothing) {
  const auto none = [](planted_trace&) {};
  EXPECT_EQ(accounted_with(none, 9'000'000).passes, 1u);
  EXPECT_EQ(accounted_with(none, 50'000'000).passes, 0u);
}

TEST(Threads, an_account_that_goes_back_or_runs_ahead_has_no_row_and_is_said) {
  struct one {
    std::int64_t run_ns;
    std::int64_t wait_ns;
    bool is_kept;
  };
  for (const one& each : {one{2'000, 700, true}, one{900, 700, false}, one{2'000, 500, false},
                          one{5'000'000'000, 700, false}}) {
    planted_trace trace;
    trace.thread(7, 1, 1'000, 600);
    trace.step(0, 0);
    trace.thread(7, 1, each.run_ns, each.wait_ns);
    const model::investigation found = trace.investigate();
    EXPECT_EQ(found.threads.size(), each.is_kept ? 1u : 0u) << each.run_ns;
    EXPECT_EQ(testing::Matches(testing::Contains(testing::HasSubstr("thread 7 went back")))(
                  found.blind_spots),
              !each.is_kept);
  }
}

TEST(Attribution, an_account_that_was_not_read_around_a_pass_says_nothing_of_it) {
  planted_trace trace;
  trace.thread(7, 1, 0, 0);
  trace.step(0, 2'000);
  trace.thread(7, 1, 10'000, 0);
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 1);
  trace.thread(7, 1, 10'000, 0);
  trace.pass(2'000);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 1);
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 2);
  trace.thread(7, 1, 20'000, 0);
  trace.pass(2'000);
  trace.thread(7, 1, 15'000, 0);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 2);
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 3);
  trace.thread(7, 1, 20'000, 0);
  trace.pass(1'000);
  trace.thread(7, 1, 21'000, 0);
  trace.pass(1'000);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 3);
  const model::pass_total& decode = trace.investigate().decode;
  EXPECT_EQ(decode.passes, 4u);
  EXPECT_EQ(decode.caller.passes, 0u);
  EXPECT_EQ(decode.caller.residual_run_ns, 0);
}

}  // namespace
}  // namespace assay::attribution_test
