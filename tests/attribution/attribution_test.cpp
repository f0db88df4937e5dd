// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these, time could move from one part of a step to another, or vanish, and the table would
// still add up: a residual defined as the rest closes whatever the parts are.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/attribution/bandwidth.h"
#include "harness/attribution/deviation_fold.h"
#include "harness/attribution/latency.h"
#include "harness/attribution/stretch_row.h"
#include "harness/attribution/timeline.h"
#include "tests/attribution/planted_trace.h"

namespace assay::attribution_test {
namespace {

using attribution::piece;
using model::time_part;

TEST(Attribution, each_planted_length_is_found_in_its_part_and_step) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_REQUEST, 0);
  trace.step(0, 0);
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 1);
  trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 500, 2'000, 0, 100);  // 600 … 2,600 of the step
  trace.wait(2'500);                                           // until 2,600
  trace.work(ASSAY_OP_COPY, ASSAY_D2H, 0, 700, 64);            // 2,700 … 3,400
  trace.wait(1'000);                                           // until 3,700
  trace.work(ASSAY_OP_COPY, ASSAY_D2D, 0, 300, 64);            // 3,800 … 4,100
  trace.work(ASSAY_OP_EVENT, ASSAY_H2D, 200, 50);              // 4,100 … 4,150
  trace.pass(1'000);                                           // until 4,900
  trace.end(ASSAY_WINDOW_DECODE_STEP, 1);
  trace.end(ASSAY_WINDOW_REQUEST, 0);
  const model::investigation found = trace.investigate();
  ASSERT_EQ(found.steps.size(), 2u);

  const model::pass_line& first = found.steps[0];
  EXPECT_EQ(first.wall_ns, 10'000);
  EXPECT_EQ(part(first.parts, time_part::launch), 4'000);
  EXPECT_EQ(part(first.parts, time_part::h2d), 1'000);
  EXPECT_EQ(part(first.parts, time_part::sync), 10'000 - 100 - 4'000 - 1'000);
  EXPECT_EQ(part(first.parts, time_part::submit), 100);
  EXPECT_EQ(first.residual_ns, 0);

  const model::pass_line& second = found.steps[1];
  EXPECT_EQ(second.wall_ns, 4'900);
  EXPECT_EQ(part(second.parts, time_part::submit), 100 + 100 + 100);
  EXPECT_EQ(part(second.parts, time_part::gap), 500);
  EXPECT_EQ(part(second.parts, time_part::launch), 2'000);
  EXPECT_EQ(part(second.parts, time_part::d2h), 700);
  EXPECT_EQ(part(second.parts, time_part::sync), 300);
  EXPECT_EQ(part(second.parts, time_part::d2d), 300);
  EXPECT_EQ(part(second.parts, time_part::event), 50);
  EXPECT_EQ(part(second.parts, time_part::h2d), 0);
  EXPECT_EQ(second.residual_ns, 4'900 - 4'150);
  EXPECT_EQ(found.decode.closure_ns, 0);
}

// What the device or another call had is theirs; what no record covers stays in the residual, and
// is told beside it.
TEST(Attribution, calls_that_allocate_are_told_beside_the_residual) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_REQUEST, 0);
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 0);
  trace.pass(1'000);
  trace.memory(1, 700);
  trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 0, 2'000);
  trace.pass(2'500);  // the launch ended 500 before
  trace.memory(2, 800);
  trace.pass(400);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 0);
  trace.step(1, 0);
  trace.end(ASSAY_WINDOW_REQUEST, 0);
  const model::investigation found = trace.investigate();
  const model::pass_memory& memory = found.decode.memory;
  EXPECT_EQ(memory.calls, 2U);
  EXPECT_EQ(memory.untimed_calls, 0U);
  EXPECT_EQ(memory.call_ns, 700 + 800);
  EXPECT_EQ(memory.residual_ns, 700 + 500);
  EXPECT_EQ(found.decode.allocations, 1U);
  EXPECT_EQ(found.decode.copy_calls, 1U);
  EXPECT_EQ(found.decode.copy_call_ns, planted_trace::call_ns);
  EXPECT_EQ(found.decode.residual_ns, 1'000 + 500 + 400) << "none of it was taken away";
  EXPECT_EQ(found.decode.closure_ns, 0);

  trace.begin(ASSAY_WINDOW_DECODE_STEP, 2);
  trace.memory(1, 0);
  trace.pass(100);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 2);
  EXPECT_EQ(trace.investigate().decode.memory.untimed_calls, 1U);
}

bool cannot_tell(const model::investigation& found, const std::string& words) {
  return std::any_of(found.blind_spots.begin(), found.blind_spots.end(),
                     [&](const std::string& each) { return each.find(words) != each.npos; });
}

// Its calls bound what a copy was staged for, where each copy has its call. A copy without one was
// no "nothing was copied", and a bound by the others' calls would be none.
TEST(Attribution, staging_has_a_bound_where_each_copy_has_its_call_and_none_elsewhere) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_REQUEST, 0);
  trace.begin(ASSAY_WINDOW_PREFILL, 0);
  trace.work(ASSAY_OP_COPY, ASSAY_H2D, 0, 500, 64);
  trace.wait(1'000);
  trace.end(ASSAY_WINDOW_PREFILL, 0);
  trace.step(0, 0);
  trace.step(1, 0);
  trace.end(ASSAY_WINDOW_REQUEST, 0);
  const model::investigation whole = trace.investigate();
  EXPECT_EQ(whole.decode.unbounded_copies, 0U);
  EXPECT_TRUE(cannot_tell(whole,
                          "staged before a copy in decode steps: no record tells it; inside of 2 "
                          "copy calls 200 ns at most"));
  EXPECT_TRUE(cannot_tell(whole,
                          "staged before a copy in prefills: no record tells it; inside of 1 copy "
                          "calls 100 ns at most"));

  planted_trace backward = trace;
  for (assay_record& each : backward.records)
    if (each.kind == ASSAY_SUBMISSION && each.op == ASSAY_OP_COPY) each.end_ns -= 5'000;
  EXPECT_EQ(backward.investigate().decode.unbounded_copies, 2U);
  EXPECT_EQ(backward.investigate().decode.copy_call_ns, 0);

  std::vector<assay_record>& all = trace.records;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const assay_record& each) {
                             return each.kind == ASSAY_SUBMISSION && each.op == ASSAY_OP_COPY;
                           }),
            all.end());
  const model::investigation found = trace.investigate();
  EXPECT_EQ(found.decode.copy_calls, 0U);
  EXPECT_EQ(found.decode.unbounded_copies, 2U);
  EXPECT_EQ(found.prefill.unbounded_copies, 1U);
  EXPECT_TRUE(cannot_tell(found,
                          "staged before a copy in decode steps: no record tells it, and of 2 "
                          "copies no call that would bound it"));
  EXPECT_FALSE(cannot_tell(found, "ns at most"));
}

TEST(Attribution, a_wait_that_nothing_claims_is_residual_in_its_step_alone) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_REQUEST, 0);
  for (std::uint64_t step = 0; step < 9; ++step) trace.step(step, step == 4 ? 2'000 : 0);
  trace.end(ASSAY_WINDOW_REQUEST, 0);
  const model::investigation found = trace.investigate();
  ASSERT_EQ(found.steps.size(), 9u);
  for (const model::pass_line& each : found.steps) {
    const double ratio = static_cast<double>(each.residual_ns) / static_cast<double>(each.wall_ns);
    EXPECT_NEAR(ratio, each.index == 4 ? 0.20 : 0.0, 0.01) << "step " << each.index;
  }
}

TEST(Attribution, what_overlaps_counts_once_and_shows_as_hidden) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 0);
  trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 100, 5'000, 0, 7);  // 200 … 5,200
  trace.work(ASSAY_OP_COPY, ASSAY_H2D, 0, 6'000, 512);       // 200 … 6,200
  trace.wait(9'800);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 0);
  const model::investigation found = trace.investigate();
  EXPECT_EQ(part(found.decode.parts, time_part::launch), 5'000);
  EXPECT_EQ(part(found.decode.parts, time_part::h2d), 1'000);
  EXPECT_EQ(part(found.decode.busy_ns, time_part::h2d), 6'000);
  EXPECT_EQ(found.decode.device_busy_ns, 6'000);
  EXPECT_EQ(found.decode.wall_ns, 10'000);
}

TEST(Attribution, launches_are_told_apart_by_what_they_read) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 0);
  for (int layer = 0; layer < 3; ++layer) {
    trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 0, 200, 0, 1000);
    trace.wait(200);
    trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 0, 900, 0, 8000);
    trace.wait(900);
  }
  trace.end(ASSAY_WINDOW_DECODE_STEP, 0);
  const auto launches = trace.investigate().decode.launches;
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].which.weight_bytes, 8000);
  EXPECT_EQ(launches[0].on_path_ns, 2'700);
  EXPECT_EQ(launches[0].weight_bytes, 24'000);
  EXPECT_EQ(launches[1].which.weight_bytes, 1000);
  EXPECT_EQ(launches[1].launches, 3u);
  EXPECT_EQ(launches[1].on_path_ns, 600);
  EXPECT_EQ(launches[1].which.range, "compute");
}

TEST(Attribution, a_device_clock_of_its_own_changes_nothing) {
  const auto found_at = [](std::int64_t offset_ns) {
    planted_trace trace;
    trace.device_offset_ns = offset_ns;
    trace.clock_sample();
    trace.step(0, 1'000);
    return trace.investigate().steps.at(0).parts;
  };
  EXPECT_EQ(found_at(0), found_at(123'456'789));
  EXPECT_EQ(found_at(0), found_at(-987'654'321));
}

// Every nanosecond of a short pass, looked at one by one.
struct by_hand {
  model::part_times_ns parts{};
  std::int64_t bare_ns = 0;

  by_hand(const std::vector<piece>& pieces, std::int64_t begin_ns, std::int64_t end_ns) {
    for (std::int64_t at = begin_ns; at < end_ns; ++at) {
      std::size_t first = model::time_part_count;
      for (const piece& each : pieces)
        if (each.start_ns <= at && at < each.end_ns)
          first = std::min(first, static_cast<std::size_t>(each.part));
      if (first == model::time_part_count)
        ++bare_ns;
      else
        ++parts[first];
    }
  }
};

TEST(Attribution, parts_and_residual_are_those_of_a_count_by_hand) {
  std::mt19937_64 random(11);
  const auto draw = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  for (int round = 0; round < 400; ++round) {
    std::vector<piece> pieces(static_cast<std::size_t>(draw(14)));
    for (piece& each : pieces) {
      each.start_ns = draw(150) - 20;
      each.end_ns = each.start_ns + draw(40) - 2;
      each.part = static_cast<time_part>(draw(model::time_part_count - 1));
      each.launch_class = static_cast<std::uint16_t>(draw(2));
    }
    const by_hand truth(pieces, 0, 120);
    const auto got = attribution::split_of(pieces, 0, 120, 3);
    EXPECT_EQ(got.on_path_ns, truth.parts) << "round " << round;
    EXPECT_EQ(attribution::uncovered_ns(pieces, 0, 120), truth.bare_ns) << "round " << round;
    std::int64_t of_classes = 0;
    for (const std::int64_t each : got.class_ns) of_classes += each;
    EXPECT_EQ(of_classes, got.on_path_ns[0]) << "round " << round;
  }
}

TEST(Attribution, the_harness_s_own_time_before_the_work_is_no_part_of_a_step) {
  planted_trace trace;
  trace.step(0, 0);
  for (assay_record& each : trace.records)
    if (each.kind == ASSAY_WINDOW_BEGIN) {
      trace.records.back().start_ns = each.start_ns;
      each.start_ns -= 3'000;
    }
  EXPECT_EQ(trace.investigate().steps.at(0).wall_ns, 10'000);
}

TEST(Latency, percentiles_are_by_nearest_rank) {
  std::vector<std::int64_t> samples;
  for (std::int64_t value = 100; value >= 1; --value) samples.push_back(value);
  const model::latency_line line = attribution::latency_of("ITL", samples, "none");
  EXPECT_EQ(line.samples, 100u);
  EXPECT_EQ(line.least_ns, 1);
  EXPECT_EQ(line.p50_ns, 50);
  EXPECT_EQ(line.p90_ns, 90);
  EXPECT_EQ(line.p99_ns, 99);
  EXPECT_EQ(line.most_ns, 100);
  std::vector<std::int64_t> three{30, 10, 20};
  EXPECT_EQ(attribution::latency_of("ITL", three, "none").p50_ns, 20);
  EXPECT_EQ(attribution::latency_of("ITL", three, "none").p99_ns, 30);
  std::vector<std::int64_t> none;
  EXPECT_EQ(attribution::latency_of("ITL", none, "no tokens").absence, "no tokens");
}

TEST(Latency, tokens_are_timed_from_their_request_and_from_the_token_before) {
  planted_trace trace;
  for (std::uint64_t request = 0; request < 2; ++request) {
    trace.begin(ASSAY_WINDOW_REQUEST, request);
    trace.pass(500);
    trace.begin(ASSAY_WINDOW_PREFILL, 0);
    trace.pass(4'500);
    trace.end(ASSAY_WINDOW_PREFILL, 0);
    trace.pass(1'000);
    trace.step(0, 0);
    trace.step(1, 0);
    trace.end(ASSAY_WINDOW_REQUEST, request);
    trace.pass(1'000'000);
  }
  const model::investigation found = trace.investigate();
  EXPECT_EQ(found.latencies[0].samples, 2u);
  EXPECT_EQ(found.latencies[0].most_ns, 5'000);
  EXPECT_EQ(found.latencies[1].samples, 4u);
  EXPECT_EQ(found.latencies[1].least_ns, 10'000);
  EXPECT_EQ(found.latencies[1].most_ns, 11'000);
  EXPECT_DOUBLE_EQ(found.tokens_per_s.real, 4e9 / 42'000.0);
}

TEST(Threads, the_kernel_s_account_stands_beside_what_was_recorded_between_two_readings) {
  planted_trace trace;
  trace.step(0, 0);  // before the first reading: in no account
  trace.thread(7, 1, 1'000, 0);
  trace.thread(8, 2, 50'000, 100);
  trace.step(1, 0);
  trace.step(2, 0);
  trace.pass(4'900);
  trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 0, 500);  // in no window, and before the reading
  trace.thread(7, 1, 4'000, 600);
  trace.thread(8, 2, 61'000, 400);
  const auto lines = trace.investigate().threads;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_FALSE(lines[0].is_worker);
  EXPECT_EQ(lines[0].wall_ns, 25'000);
  EXPECT_EQ(lines[0].run_ns, 3'000);
  EXPECT_EQ(lines[0].wait_ns, 600);
  EXPECT_EQ(lines[0].asleep_ns, 25'000 - 3'600);
  EXPECT_EQ(lines[0].recorded_ns, 2 * 9'800);
  EXPECT_TRUE(lines[1].is_worker);
  EXPECT_EQ(lines[1].run_ns, 11'000);
  EXPECT_EQ(lines[0].differs_ns, 25'000 - 3'600 - 2 * 9'800);
  EXPECT_EQ(lines[1].recorded_ns, 2 * 5'000 + 500);
  EXPECT_EQ(lines[1].differs_ns, 11'000 - 10'500);
}

TEST(Bandwidth, a_quotient_is_held_against_both_ceilings) {
  const std::vector<model::ceiling_line> ceilings{{"pcie", 12e9, 16e9, 5, ""}};
  const auto judged = [&](std::int64_t bytes, std::int64_t ns, std::string link) {
    model::bandwidth_line line;
    line.bytes = {true, false, bytes, 0.0, {}};
    line.time_ns = {true, false, ns, 0.0, {}};
    line.link = std::move(link);
    attribution::judge(line, ceilings);
    return line;
  };
  using model::bandwidth_verdict;
  EXPECT_EQ(judged(12'000, 1'000, "pcie").verdict, bandwidth_verdict::plausible);
  EXPECT_EQ(judged(12'001, 1'000, "pcie").verdict, bandwidth_verdict::above_measured);
  EXPECT_EQ(judged(16'000, 1'000, "pcie").verdict, bandwidth_verdict::above_measured);
  EXPECT_EQ(judged(16'001, 1'000, "pcie").verdict, bandwidth_verdict::impossible);
  EXPECT_EQ(judged(16'001, 0, "pcie").verdict, bandwidth_verdict::unmeasured);
  EXPECT_EQ(judged(16'001, 0, "pcie").reason, "the time is 0");
  EXPECT_EQ(judged(16'001, 1'000, "").verdict, bandwidth_verdict::unmeasured);
  EXPECT_EQ(judged(16'001, 1'000, "device_read").reason, "the run has no ceiling of device_read");
}

TEST(Stretches, bounded_in_number_lose_no_extreme_and_keep_the_order_of_time) {
  attribution::stretch_row row;
  for (std::int64_t at = 0; at < 10'000; ++at)
    row.add(at, at == 4'321 ? 900 : at == 7'654 ? -900 : at % 5);
  const auto& kept = row.stretches();
  EXPECT_LE(kept.size(), attribution::stretch_row::max_stretches);
  EXPECT_GT(kept.size(), attribution::stretch_row::max_stretches / 2);
  const auto holding = [&](std::int64_t value) {
    return std::count_if(kept.begin(), kept.end(), [&](const auto& each) {
      return each.least == value || each.most == value;
    });
  };
  EXPECT_EQ(holding(900), 1);
  EXPECT_EQ(holding(-900), 1);
  for (std::size_t at = 1; at < kept.size(); ++at)
    EXPECT_LT(kept[at - 1].begin_ns, kept[at].begin_ns);
}

trace::contract_row row_of(const char* name, telemetry::reset_scope reset) {
  trace::contract_row row;
  row.name = name;
  row.unit = unit::bytes;
  row.kind = telemetry::counter_kind::count;
  row.reset = reset;
  return row;
}

assay_record said(std::uint32_t row, assay_relation relation, std::int64_t amount) {
  assay_record out{};
  out.kind = ASSAY_OBSERVATION;
  out.op = static_cast<std::uint8_t>(relation);
  out.direction = ASSAY_SOURCE_LEDGER;
  out.stream = row;
  out.amount = amount;
  return out;
}

// Two requests of ten steps. The first counter goes on, the second begins anew with each request;
// a step grows both by 100, but the first by 107 in one.
attribution::deviation_fold two_requests(std::uint64_t odd_step) {
  attribution::deviation_fold fold;
  fold.watch({row_of("whole", telemetry::reset_scope::per_process),
              row_of("anew", telemetry::reset_scope::per_request)});
  std::array<std::int64_t, 2> counted{};
  planted_trace clock;
  const auto window = [&](std::uint8_t kind, assay_window which, std::uint64_t index) {
    clock.window(kind, which, index);
    fold.take_window(clock.records.back());
  };
  for (std::uint64_t request = 0; request < 2; ++request) {
    counted[1] = 0;
    window(ASSAY_WINDOW_BEGIN, ASSAY_WINDOW_REQUEST, request);
    for (std::uint64_t step = 0; step < 10; ++step) {
      window(ASSAY_WINDOW_BEGIN, ASSAY_WINDOW_DECODE_STEP, step);
      clock.pass(1'000);
      counted[0] += request == 1 && step == odd_step ? 107 : 100;
      counted[1] += 100;
      const std::array<assay_reading, 2> readings{
          {{counted[0], ASSAY_MEASURED, 0}, {counted[1], ASSAY_MEASURED, 0}}};
      fold.take_observation(said(0, ASSAY_EQUAL, 100));
      fold.take_observation(said(1, ASSAY_EQUAL, 100));
      fold.take_observation(said(0, ASSAY_AT_MOST, 1));  // a bound has no difference
      fold.take_snapshot(readings);
      window(ASSAY_WINDOW_END, ASSAY_WINDOW_DECODE_STEP, step);
    }
    window(ASSAY_WINDOW_END, ASSAY_WINDOW_REQUEST, request);
  }
  return fold;
}

TEST(Deviation, a_difference_stands_in_its_window_and_nowhere_else) {
  const attribution::deviation_fold fold = two_requests(3);
  const auto lines = fold.deviations();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "whole");
  EXPECT_EQ(lines[0].against, "ledger");
  EXPECT_EQ(lines[0].windows, 20u);
  EXPECT_EQ(lines[0].unequal, 1u);
  EXPECT_EQ(lines[0].total, 7);
  EXPECT_EQ(lines[0].most, 7);
  EXPECT_EQ(lines[0].least, 0);
  EXPECT_EQ(lines[0].worst_at_ns, 14 * 1'000);
  EXPECT_EQ(lines[1].unequal, 0u) << "what begins anew with a request counts from 0";
  EXPECT_EQ(lines[0].stretches.size(), 20u);
}

// A counter of copied bytes that misses one copy of the second step, and a time of the same copies
// that is 40 short there.
TEST(Deviation, records_of_the_claimed_work_stand_beside_the_claim) {
  trace::contract_row bytes = row_of("copied", telemetry::reset_scope::per_process);
  bytes.claims = {telemetry::activity::copy,
                  telemetry::direction::h2d,
                  telemetry::range::weights,
                  telemetry::measure::bytes,
                  {}};
  trace::contract_row time = bytes;
  time.unit = unit::ns;
  time.kind = telemetry::counter_kind::duration;
  time.claims.measure = telemetry::measure::brackets;
  attribution::deviation_fold fold;
  fold.watch({bytes, time});
  std::int64_t copied = 0;
  std::int64_t took_ns = 0;
  for (std::uint64_t step = 0; step < 3; ++step) {
    assay_record window{};
    window.kind = ASSAY_WINDOW_BEGIN;
    window.op = ASSAY_WINDOW_DECODE_STEP;
    window.correlation = step;
    fold.take_window(window);
    for (int copy = 0; copy < 2; ++copy) {
      attribution::joined_activity work;
      work.activity.op = ASSAY_OP_COPY;
      work.activity.direction = ASSAY_H2D;
      work.activity.amount = 64;
      work.activity.start_ns = 1'000 * copy;
      work.activity.end_ns = 1'000 * copy + 50;
      work.range = static_cast<std::uint16_t>(telemetry::range::weights);
      fold.on_activity(work);
      work.range = static_cast<std::uint16_t>(telemetry::range::inputs);
      fold.on_activity(work);  // another's
    }
    copied += step == 1 ? 64 : 128;
    took_ns += step == 1 ? 60 : 100;
    fold.take_snapshot(
        std::array<assay_reading, 2>{{{copied, ASSAY_MEASURED, 0}, {took_ns, ASSAY_MEASURED, 0}}});
    window.kind = ASSAY_WINDOW_END;
    window.end_ns = 10'000;
    fold.take_window(window);
  }
  const auto lines = fold.deviations();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].windows, 3u);
  EXPECT_EQ(lines[0].unequal, 1u);
  EXPECT_EQ(lines[0].least, -64);
  EXPECT_EQ(lines[0].most, 0);
  EXPECT_FALSE(lines[0].is_near);
  EXPECT_EQ(lines[1].total, -40);
  EXPECT_TRUE(lines[1].is_near);
}

TEST(Deviation, what_a_counter_grew_by_is_told_step_by_step) {
  const auto flows = two_requests(3).flows();
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].total, 2'007);
  EXPECT_EQ(flows[0].least, 100);
  EXPECT_EQ(flows[0].most, 107);
  EXPECT_EQ(flows[1].total, 2'000);
  EXPECT_EQ(flows[1].most, 100);
}

}  // namespace
}  // namespace assay::attribution_test
