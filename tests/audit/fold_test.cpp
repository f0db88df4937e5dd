// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a record booked to the wrong window, a wrong join, or a trace of nonsense that takes
// the audit down would go unnoticed.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/ceilings.h"
#include "harness/audit/correlation_matcher.h"
#include "harness/audit/gates.h"
#include "harness/audit/interval.h"
#include "harness/audit/r03_cache_bandwidth.h"
#include "harness/audit/sentinel_fold.h"
#include "harness/audit/span_fold.h"
#include "runtime/telemetry/catalog.h"
#include "runtime/telemetry/range.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using audit::interval;
using audit::operation;
using model::verdict;
using testing::HasSubstr;

TEST(Interval, union_counts_overlaps_once_and_gaps_never) {
  std::vector<interval> some{{10, 20}, {15, 30}, {40, 50}, {42, 45}, {60, 60}, {80, 70}};
  EXPECT_EQ(audit::union_ns(some), 30);
  std::vector<interval> unsorted{{40, 50}, {10, 20}, {15, 30}};
  EXPECT_EQ(audit::union_ns(unsorted), 30);
  std::vector<interval> none;
  EXPECT_EQ(audit::union_ns(none), 0);
}

operation on_stream(std::uint8_t op, std::int64_t start_ns, std::int64_t end_ns,
                    std::int64_t call_ns) {
  operation made;
  made.op = op;
  made.stream = 1;
  made.start_ns = start_ns;
  made.end_ns = end_ns;
  made.call_start_ns = call_ns;
  made.call_end_ns = call_ns + 10;
  made.slot = static_cast<std::uint8_t>(telemetry::range::compute);
  return made;
}

audit::span_fold launches_of_compute() {
  trace::claim_row claim;
  claim.kind = telemetry::activity::launch;
  claim.range = telemetry::range::compute;
  claim.measure = telemetry::measure::span;
  return audit::span_fold(audit::cells_of(claim));
}

TEST(Span, takes_the_events_next_to_the_work) {
  audit::span_fold fold = launches_of_compute();
  const operation ops[] = {
      on_stream(ASSAY_OP_EVENT, 90, 90, 0),     on_stream(ASSAY_OP_EVENT, 100, 100, 10),
      on_stream(ASSAY_OP_LAUNCH, 110, 200, 20), on_stream(ASSAY_OP_EVENT, 205, 205, 30),
      on_stream(ASSAY_OP_LAUNCH, 210, 300, 40), on_stream(ASSAY_OP_EVENT, 307, 307, 50),
      on_stream(ASSAY_OP_EVENT, 400, 400, 60)};
  fold.take(ops);
  const audit::span_sample sample = fold.close(1'000, {});
  EXPECT_EQ(sample.span_ns(), 190);
  EXPECT_EQ(sample.busy_ns, 180);
  EXPECT_EQ(sample.bracket_ns, 207);
  EXPECT_EQ(sample.call_ns, 20);
  EXPECT_EQ(sample.enqueue_ns, 30);
  EXPECT_EQ(sample.enclosing_ns, 400 - 10) << "from the event's call to what ran next";
  EXPECT_FALSE(fold.close(1'000, {}).has_work) << "a window starts empty";
}

TEST(Span, leaves_open_where_an_event_fell_within_its_record) {
  audit::span_fold fold = launches_of_compute();
  const operation ops[] = {on_stream(ASSAY_OP_EVENT, 60, 100, 0),
                           on_stream(ASSAY_OP_LAUNCH, 110, 200, 20),
                           on_stream(ASSAY_OP_EVENT, 205, 245, 30)};
  fold.take(ops);
  const audit::span_sample sample = fold.close(1'000, {});
  EXPECT_EQ(sample.least_bracket_ns, 205 - 100);
  EXPECT_EQ(sample.most_bracket_ns, 245 - 60);
  EXPECT_EQ(sample.bracket_ns, 145);
}

TEST(Span, event_on_a_stream_that_ran_dry_lies_anywhere_behind_its_call) {
  audit::span_fold fold = launches_of_compute();
  operation late = on_stream(ASSAY_OP_EVENT, 245, 245, 150);
  const operation ops[] = {on_stream(ASSAY_OP_EVENT, 100, 100, 40),
                           on_stream(ASSAY_OP_LAUNCH, 110, 200, 60), late};
  fold.take(ops);
  const audit::span_sample sample = fold.close(1'000, {});
  EXPECT_EQ(sample.most_bracket_ns, 245 - 40);
  EXPECT_EQ(sample.least_bracket_ns, 245 - 100) << "behind work that still ran it is where it says";
}

TEST(Span, kernels_of_one_launch_share_its_call) {
  audit::span_fold fold = launches_of_compute();
  operation kernel = on_stream(ASSAY_OP_LAUNCH, 110, 200, 60);
  kernel.is_split = true;
  kernel.correlation = 5;
  operation other = kernel;
  other.correlation = 6;
  const operation ops[] = {kernel, kernel, kernel, other};
  fold.take(ops);
  EXPECT_EQ(fold.close(1'000, {}).call_ns, 20);
}

TEST(Span, encloses_its_events_between_what_ran_before_and_after) {
  audit::span_fold fold = launches_of_compute();
  operation before = on_stream(ASSAY_OP_COPY, 50, 80, 0);
  operation after = on_stream(ASSAY_OP_COPY, 500, 600, 40);
  before.direction = after.direction = ASSAY_H2D;
  const operation ops[] = {before, on_stream(ASSAY_OP_EVENT, 100, 100, 10),
                           on_stream(ASSAY_OP_LAUNCH, 110, 200, 20),
                           on_stream(ASSAY_OP_EVENT, 205, 205, 30), after};
  fold.take(ops);
  EXPECT_EQ(fold.close(1'000, {}).enclosing_ns, 500 - 80);
}

TEST(Span, encloses_its_last_event_by_the_wait_or_by_the_windows_end) {
  const operation ops[] = {on_stream(ASSAY_OP_EVENT, 100, 100, 10),
                           on_stream(ASSAY_OP_LAUNCH, 110, 200, 20),
                           on_stream(ASSAY_OP_EVENT, 205, 205, 30)};
  operation wait = on_stream(ASSAY_OP_SYNC, 0, 0, 45);
  wait.call_end_ns = 230;
  operation elsewhere = wait;
  elsewhere.stream = 2;
  elsewhere.call_end_ns = 210;
  operation earlier = wait;
  earlier.call_start_ns = 15;
  earlier.call_end_ns = 16;
  audit::span_fold fold = launches_of_compute();
  fold.take(ops);
  EXPECT_EQ(fold.close(1'000, std::vector{elsewhere, earlier, wait}).enclosing_ns, 230 - 10);
  fold.take(ops);
  EXPECT_EQ(fold.close(1'000, {}).enclosing_ns, 1'000 - 10);
}

TEST(Span, without_events_on_both_sides_has_no_bracket) {
  audit::span_fold fold = launches_of_compute();
  const operation ops[] = {on_stream(ASSAY_OP_EVENT, 100, 100, 10),
                           on_stream(ASSAY_OP_LAUNCH, 110, 200, 20)};
  fold.take(ops);
  EXPECT_FALSE(fold.close(1'000, {}).has_bracket);
}

assay_record half(std::uint8_t kind, std::uint64_t correlation) {
  assay_record made{};
  made.kind = kind;
  made.op = ASSAY_OP_LAUNCH;
  made.range = static_cast<std::uint16_t>(telemetry::range::compute);
  made.correlation = correlation;
  return made;
}

TEST(Matcher, joins_halves_in_either_order) {
  audit::correlation_matcher matcher;
  matcher.activity(half(ASSAY_ACTIVITY, 7), 10, 20);
  matcher.submission(half(ASSAY_SUBMISSION, 7));
  matcher.submission(half(ASSAY_SUBMISSION, 8));
  std::vector<operation> done;
  matcher.drain(false, done);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].start_ns, 10);
  matcher.activity(half(ASSAY_ACTIVITY, 8), 30, 40);
  matcher.drain(true, done);
  EXPECT_EQ(done.size(), 1u);
  EXPECT_EQ(matcher.findings().total, 0u);
}

TEST(Matcher, ids_that_share_a_slot_do_not_mix) {
  audit::correlation_matcher matcher;
  for (std::uint64_t i = 0; i < 20'000; ++i) matcher.submission(half(ASSAY_SUBMISSION, i << 32));
  for (std::uint64_t i = 0; i < 20'000; ++i)
    matcher.activity(half(ASSAY_ACTIVITY, i << 32), static_cast<std::int64_t>(i), 1);
  std::vector<operation> done;
  matcher.drain(true, done);
  ASSERT_EQ(done.size(), 20'000u);
  for (const operation& op : done)
    EXPECT_EQ(op.start_ns, static_cast<std::int64_t>(op.correlation >> 32));
  EXPECT_EQ(matcher.findings().total, 0u);
}

TEST(Matcher, a_refused_call_needs_no_record_and_may_not_have_one) {
  audit::correlation_matcher matcher;
  assay_record refused = half(ASSAY_SUBMISSION, 3);
  refused.flags = 1;
  matcher.submission(refused);
  std::vector<operation> done;
  matcher.drain(true, done);
  EXPECT_EQ(matcher.findings().total, 0u);
  matcher.submission(refused);
  matcher.activity(half(ASSAY_ACTIVITY, 3), 1, 2);
  matcher.drain(true, done);
  EXPECT_EQ(matcher.findings().total, 1u);
}

TEST(Sentinel, a_launch_shorter_than_its_own_clock_says_is_mistimed) {
  for (const std::int64_t record_ns : {200'000, 190'000, 400'000}) {
    audit::sentinel_fold fold;
    operation launch;
    launch.op = ASSAY_OP_LAUNCH;
    launch.blocks = 7919;
    launch.start_ns = 1'000;
    launch.end_ns = 1'000 + record_ns;
    fold.take_operation(launch);
    assay_record announced{};
    announced.kind = ASSAY_SENTINEL;
    announced.op = 1;
    announced.amount = 7919;
    announced.extra[0] = 2;
    announced.extra[1] = 200'000;
    fold.take_announcement(announced);
    fold.finish();
    EXPECT_EQ(fold.findings().confirmed, 1u);
    EXPECT_EQ(fold.findings().mistimed, record_ns < 195'000 ? 1u : 0u);
  }
}

TEST(Sentinel, a_mistimed_launch_fails_its_gate) {
  audit::evidence found;
  found.sentinels.announced = found.sentinels.confirmed = 1;
  audit::void_map voids;
  EXPECT_TRUE(audit::gate_sentinels(found, voids).holds);
  found.sentinels.mistimed = 1;
  EXPECT_FALSE(audit::gate_sentinels(found, voids).holds);
  EXPECT_FALSE(voids.all_device.empty());
}

TEST(Sentinel, one_that_ran_twice_is_in_surplus) {
  audit::sentinel_fold fold;
  operation copy;
  copy.op = ASSAY_OP_COPY;
  copy.direction = ASSAY_H2D;
  copy.moved_bytes = 4099;
  assay_record announced{};
  announced.op = 1;
  announced.direction = ASSAY_H2D;
  announced.amount = 4099;
  fold.take_announcement(announced);
  fold.take_operation(copy);
  fold.take_operation(copy);
  fold.finish();
  EXPECT_EQ(fold.findings().confirmed, 1u);
  EXPECT_EQ(fold.findings().surplus, 1u);
  EXPECT_EQ(fold.findings().missing, 0u);
}

TEST(Unclaimed, activity_that_no_counter_claims_is_listed_with_its_bytes) {
  test_trace trace = simulate();
  trace.rows[logits_bytes].claims = {};
  trace.rows[logits_bytes].claims.reason = "left out";
  const auto report = trace.audit();
  // Events are claimed by nobody in the test's contract.
  bool has_logits = false;
  for (const model::unclaimed_line& line : report.unclaimed) {
    EXPECT_THAT(line.activity, testing::AnyOf(HasSubstr("event"), "copy d2h logits"));
    if (line.activity != "copy d2h logits") continue;
    has_logits = true;
    EXPECT_EQ(line.records, 42u);
    EXPECT_EQ(line.bytes, 42 * 2048);
    EXPECT_EQ(line.device_ns, 42 * 900);
  }
  EXPECT_TRUE(has_logits);
}

TEST(CutOff, a_trace_without_an_end_is_judged_up_to_there_and_says_so) {
  test_trace trace = simulate();
  trace.pieces.resize(trace.pieces.size() * 2 / 3);
  audit::auditor auditor;
  trace.feed(auditor);
  const auto report = auditor.finish("cut off at byte 4711").value();
  EXPECT_FALSE(report.is_complete);
  EXPECT_THAT(report.incompleteness, HasSubstr("cut off at byte 4711"));
  EXPECT_THAT(report.incompleteness, HasSubstr("never end"));
}

TEST(Malformed, is_counted_by_name) {
  test_trace trace = simulate();
  assay_record stray{};
  stray.kind = ASSAY_OBSERVATION;
  stray.stream = 60'000;
  stray.op = ASSAY_EQUAL;
  stray.direction = ASSAY_SOURCE_LEDGER;
  trace.pieces.emplace_back(stray);
  stray.kind = 77;
  trace.pieces.emplace_back(stray);
  stray.kind = ASSAY_WINDOW_END;
  stray.op = ASSAY_WINDOW_LOAD;
  trace.pieces.emplace_back(stray);
  trace.pieces.emplace_back(snapshot_piece{1, {}});
  const auto report = trace.audit();
  for (const char* part : {"1 records of no known kind", "1 windows that do not nest",
                           "1 observations", "1 snapshots"})
    EXPECT_THAT(report.incompleteness, HasSubstr(part));
  EXPECT_EQ(line_of(report, launches).verdict, verdict::agree);
}

TEST(Malformed, a_trace_without_a_contract_is_refused_with_the_fix) {
  audit::auditor auditor;
  const assay_record record{};
  EXPECT_FALSE(auditor.records({&record, 1}));
  EXPECT_FALSE(auditor.snapshot(0, {}));
  EXPECT_THAT(auditor.finish().error().message, HasSubstr("CONTRACT"));
}

TEST(Malformed, nonsense_never_takes_the_audit_down_or_makes_it_agree_more) {
  std::mt19937_64 random(42);
  const test_trace honest = simulate({.requests = 1, .steps = 4});
  for (int round = 0; round < 2'000; ++round) {
    test_trace trace = honest;
    for (int hits = 0; hits < 4; ++hits) {
      piece& p = trace.pieces[random() % trace.pieces.size()];
      if (auto* record = std::get_if<assay_record>(&p)) {
        unsigned char bytes[sizeof *record];
        std::memcpy(bytes, record, sizeof bytes);
        bytes[random() % sizeof bytes] = static_cast<unsigned char>(random());
        std::memcpy(record, bytes, sizeof bytes);
      } else {
        auto& readings = std::get<snapshot_piece>(p).readings;
        assay_reading& one = readings[random() % readings.size()];
        one.bits = static_cast<std::int64_t>(random());
        one.state = static_cast<std::uint32_t>(random() % 8);
      }
    }
    const auto report = trace.audit();
    EXPECT_EQ(report.counters.size(), static_cast<std::size_t>(row_total));
    EXPECT_NE(line_of(report, graph_nodes).verdict, verdict::agree);
  }
}

TEST(Malformed, records_of_random_bits_are_survived) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    audit::auditor auditor;
    test_trace empty;
    empty.feed(auditor);
    std::vector<assay_record> noise(500);
    for (assay_record& record : noise) {
      std::uint64_t words[sizeof record / 8];
      for (std::uint64_t& word : words)
        word = random() % 3 == 0 ? random() : std::uint64_t{1} << (random() % 64);
      std::memcpy(&record, words, sizeof record);
      record.kind = static_cast<std::uint8_t>(random() % 13);
      record.op = static_cast<std::uint8_t>(random() % 7);
      record.direction = static_cast<std::uint8_t>(random() % 10);
      record.range = static_cast<std::uint16_t>(random() % 10);
      record.stream = static_cast<std::uint32_t>(random() % 4);
      record.correlation = random() % 50;
    }
    std::vector<assay_reading> readings(row_total);
    for (std::size_t at = 0; at < noise.size(); at += 10) {
      EXPECT_TRUE(auditor.records(std::span(noise).subspan(at, 10)));
      for (assay_reading& one : readings)
        one = {static_cast<std::int64_t>(random()), static_cast<std::uint32_t>(random() % 7), 9};
      EXPECT_TRUE(auditor.snapshot(0, readings));
    }
    const auto report = auditor.finish().value();
    for (const model::counter_line& line : report.counters)
      EXPECT_NE(line.verdict, verdict::agree) << line.name;
  }
}

assay_record link_sample(std::size_t link, std::int64_t bytes) {
  assay_record record{};
  record.kind = ASSAY_LINK_SAMPLE;
  record.direction = static_cast<std::uint8_t>(link);
  record.start_ns = 1'000;
  record.end_ns = 2'000;
  record.amount = bytes;
  return record;
}

TEST(Ceilings, hold_each_link_of_the_contract_apart_and_reach_the_report) {
  test_trace trace = simulate();
  trace.facts.ceilings.clear();
  std::vector<std::string> names;
  for (std::size_t link = 1; link < audit::link_classes; ++link) {
    names.emplace_back(telemetry::to_string(static_cast<telemetry::link_class>(link)));
    for (int i = 0; i < 3; ++i)
      trace.pieces.insert(trace.pieces.begin(),
                          link_sample(link, static_cast<std::int64_t>(1'000 * link)));
  }
  EXPECT_THAT(names, testing::Each(testing::Ne("?")));
  EXPECT_EQ(telemetry::to_string(static_cast<telemetry::link_class>(audit::link_classes)), "?")
      << "one more link than the audit folds";
  const auto report = trace.audit();
  ASSERT_EQ(report.ceilings.size(), names.size());
  for (std::size_t at = 0; at < names.size(); ++at) {
    EXPECT_EQ(report.ceilings[at].link, names[at]);
    EXPECT_DOUBLE_EQ(report.ceilings[at].soft_bytes_per_s, 1.05e9 * static_cast<double>(at + 1));
  }
}

TEST(Ceilings, of_one_link_judge_no_other) {
  for (std::size_t link = 1; link < audit::link_classes; ++link) {
    test_trace trace = simulate();
    const auto of_times = static_cast<telemetry::link_class>(link);
    for (trace::contract_row& row : trace.rows)
      if (row.pairs_with.link != telemetry::link_class::none) row.pairs_with.link = of_times;
    for (std::size_t low = 1; low < audit::link_classes; ++low) {
      trace.facts.ceilings = {{static_cast<telemetry::link_class>(low), 1.0, 2.0, 5, {}}};
      const auto report = trace.audit();
      const auto found = rules_on(report, name_of(weights_rate));
      const char* rule = audit::is_cached(of_times) ? "R03" : "R02";
      EXPECT_EQ(testing::Value(found, testing::Contains(rule)), low == link) << link << ' ' << low;
      for (const model::finding& each : report.findings)
        EXPECT_TRUE(each.rule != rule || each.unit == "bytes_per_s") << rule;
    }
  }
}

}  // namespace
}  // namespace assay::audit_test
