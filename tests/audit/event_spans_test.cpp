// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this the harness's own events could confirm whatever they are held against, and a run
// without device records could pass for one that they judged.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/gates.h"
#include "reports/model/outcome.h"
#include "runtime/telemetry/range.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using model::verdict;
using telemetry::range;
using testing::HasSubstr;

bool is_of(const piece& one, int kind, range r) {
  const auto* record = std::get_if<assay_record>(&one);
  return record != nullptr && record->kind == kind && record->range == static_cast<int>(r);
}

// What events right around a range's calls would have said, in each window that has its work.
void add_event_spans(test_trace& to, range of) {
  std::vector<piece> with;
  assay_record span{};
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  for (const piece& one : to.pieces) {
    if (is_of(one, ASSAY_ACTIVITY, of)) {
      const auto& work = std::get<assay_record>(one);
      if (begin_ns == 0) begin_ns = work.start_ns;
      end_ns = work.end_ns;
      if (work.op != ASSAY_OP_EVENT) {
        if (first_ns == 0) first_ns = work.start_ns;
        last_ns = work.end_ns;
      }
    } else if (std::holds_alternative<snapshot_piece>(one) && begin_ns != 0) {
      span.kind = ASSAY_EVENT_SPAN;
      span.range = static_cast<std::uint16_t>(of);
      span.amount = end_ns - begin_ns + 400;
      span.extra[0] = last_ns - first_ns;
      span.extra[1] = 501;
      with.emplace_back(span);
      first_ns = begin_ns = 0;
    }
    with.push_back(one);
  }
  to.pieces = std::move(with);
}

const auto is_span = [](const assay_record& r) { return r.kind == ASSAY_EVENT_SPAN; };

test_trace one_observer(const lie& told = {}) {
  test_trace trace = simulate({}, told);
  trace.facts.has_one_observer = true;
  return trace;
}

void every_span(test_trace& in, const std::function<void(assay_record&)>& change) {
  for (int i = 0; assay_record* span = in.find(is_span, i); ++i) change(*span);
}

TEST(EventSpans, are_the_second_reference_of_a_time_that_the_device_alone_told) {
  test_trace trace = one_observer();
  EXPECT_EQ(line_of(trace.audit(), compute_ns).verdict, verdict::unmeasured);
  add_event_spans(trace, range::compute);
  const auto report = trace.audit();
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::agree) << text_of(report);
  EXPECT_TRUE(report.gates[0].holds) << report.gates[0].detail;
  EXPECT_TRUE(report.findings.empty()) << text_of(report);
}

TEST(EventSpans, contradict_a_counter_that_lies_to_either_side) {
  for (const double factor : {0.6, 0.95, 1.05, 2.5}) {
    test_trace trace = one_observer(scaling(compute_ns, factor));
    add_event_spans(trace, range::compute);
    // Nobody but the events is left to say so.
    while (trace.find([](const assay_record& r) {
      return r.kind == ASSAY_ACTIVITY && r.range == static_cast<int>(range::compute);
    }))
      trace.drop([](const assay_record& r) {
        return (r.kind == ASSAY_ACTIVITY || r.kind == ASSAY_SUBMISSION) &&
               r.range == static_cast<int>(range::compute);
      });
    while (trace.find([](const assay_record& r) {
      return r.kind == ASSAY_SUBMISSION && r.range == static_cast<int>(range::compute);
    }))
      trace.drop([](const assay_record& r) {
        return r.kind == ASSAY_SUBMISSION && r.range == static_cast<int>(range::compute);
      });
    const auto report = trace.audit();
    EXPECT_THAT(rules_on(report, name_of(compute_ns)), testing::Not(testing::IsEmpty()))
        << factor << "\n"
        << text_of(report);
  }
}

TEST(EventSpans, leave_a_lie_within_the_tolerance_alone) {
  test_trace trace = one_observer(scaling(compute_ns, 1.01));
  add_event_spans(trace, range::compute);
  EXPECT_EQ(line_of(trace.audit(), compute_ns).verdict, verdict::agree);
}

TEST(EventSpans, shorter_than_the_records_put_both_in_doubt) {
  test_trace trace = one_observer();
  add_event_spans(trace, range::compute);
  every_span(trace, [](assay_record& r) { r.amount /= 2, r.extra[0] /= 2; });
  const auto report = trace.audit();
  EXPECT_FALSE(report.gates[0].holds);
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::undecided) << text_of(report);
  EXPECT_THAT(line_of(report, compute_ns).reason, HasSubstr("G1"));
  EXPECT_EQ(line_of(report, weights_ns).verdict, verdict::unmeasured) << "another range's";
  EXPECT_TRUE(report.findings.empty()) << text_of(report);
}

TEST(EventSpans, longer_than_the_host_saw_are_the_events_fault) {
  test_trace trace = one_observer(scaling(compute_ns, 3.0));
  add_event_spans(trace, range::compute);
  every_span(trace, [](assay_record& r) { r.amount *= 3, r.extra[0] *= 3; });
  const auto report = trace.audit();
  EXPECT_FALSE(report.gates[0].holds);
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::disagree)
      << "the records are not in doubt, and say that it lies\n"
      << text_of(report);
}

// Nobody waits for an event behind a copy's own last one: it may come when the window has closed.
TEST(EventSpans, whose_last_event_came_after_the_host_had_gone_on_are_no_fault) {
  test_trace trace = one_observer();
  add_event_spans(trace, range::compute);
  every_span(trace, [](assay_record& r) { r.amount *= 3; });
  const auto report = trace.audit();
  EXPECT_TRUE(report.gates[0].holds) << report.gates[0].detail;
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::agree) << text_of(report);
}

TEST(EventSpans, that_were_lost_confirm_nothing) {
  test_trace trace = one_observer();
  add_event_spans(trace, range::compute);
  assay_record loss{};
  loss.kind = ASSAY_LOSS;
  loss.direction = ASSAY_SOURCE_HARNESS_EVENTS;
  loss.amount = 1;
  trace.pieces.insert(trace.pieces.begin() + 40, piece(loss));
  const auto report = trace.audit();
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::undecided);
  EXPECT_THAT(line_of(report, compute_ns).reason, HasSubstr("harness events"));
  EXPECT_EQ(line_of(report, launches).verdict, verdict::agree);
}

TEST(EventSpans, that_cannot_be_are_counted_and_not_believed) {
  test_trace trace = one_observer();
  add_event_spans(trace, range::compute);
  every_span(trace, [](assay_record& r) { r.extra[0] = r.amount + 5'000; });
  const auto report = trace.audit();
  EXPECT_THAT(report.incompleteness, HasSubstr("records of no known kind"));
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::unmeasured);
}

// Added to the work's spans they would make each step as long again as it was.
TEST(EventSpans, around_waits_of_a_range_are_no_part_of_its_work) {
  test_trace trace = one_observer();
  add_event_spans(trace, range::compute);
  for (std::size_t i = 0; i < trace.pieces.size(); ++i) {
    if (!is_of(trace.pieces[i], ASSAY_EVENT_SPAN, range::compute)) continue;
    assay_record wait = std::get<assay_record>(trace.pieces[i]);
    wait.op = ASSAY_OP_WAIT;
    trace.pieces.insert(trace.pieces.begin() + static_cast<std::ptrdiff_t>(i++), piece(wait));
  }
  const auto report = trace.audit();
  EXPECT_EQ(line_of(report, compute_ns).verdict, verdict::agree) << text_of(report);
  EXPECT_TRUE(report.findings.empty()) << text_of(report);
}

// What the harness makes of several ranges' spans is of no counter's own range.
TEST(EventSpans, in_doubt_make_no_observation_of_several_ranges_either) {
  const auto verdict_where = [](double factor) {
    test_trace trace = one_observer();
    add_event_spans(trace, range::compute);
    every_span(trace, [=](assay_record& r) {
      r.amount = static_cast<std::int64_t>(static_cast<double>(r.amount) * factor);
      r.extra[0] = static_cast<std::int64_t>(static_cast<double>(r.extra[0]) * factor);
    });
    const auto is_of_tokens = [](const assay_record& r) {
      return r.kind == ASSAY_OBSERVATION && r.stream == tokens &&
             r.direction == ASSAY_SOURCE_CONTENT;
    };
    while (assay_record* seen = trace.find(is_of_tokens)) {
      seen->direction = ASSAY_SOURCE_HARNESS_EVENTS;
      seen->amount += 1;
    }
    return line_of(trace.audit(), tokens).verdict;
  };
  EXPECT_EQ(verdict_where(1.0), verdict::disagree) << "its word counts";
  EXPECT_NE(verdict_where(3.0), verdict::disagree) << "longer than the host saw";
}

test_trace without_records(const lie& told = {}) {
  test_trace trace = one_observer(told);
  trace.facts.records_absence = "CUPTI is held by somebody else: it has room for one";
  std::erase_if(trace.pieces, [](const piece& one) {
    const auto* record = std::get_if<assay_record>(&one);
    return record != nullptr &&
           (record->kind == ASSAY_SUBMISSION || record->kind == ASSAY_ACTIVITY ||
            record->kind == ASSAY_SENTINEL || record->kind == ASSAY_CLOCK_SAMPLE ||
            (record->kind == ASSAY_OBSERVATION &&
             record->direction == ASSAY_SOURCE_DEVICE_RECORDS));
  });
  return trace;
}

TEST(CollectorConflict, leaves_undecided_what_rests_on_records_and_names_the_holder) {
  test_trace trace = without_records();
  const auto report = trace.audit();
  for (const row which : {weights_bytes, inputs_bytes, launches, compute_ns, weights_rate, syncs}) {
    EXPECT_EQ(line_of(report, which).verdict, verdict::undecided) << name_of(which);
    EXPECT_THAT(line_of(report, which).reason, HasSubstr("R28")) << name_of(which);
    EXPECT_THAT(line_of(report, which).reason, HasSubstr("somebody else")) << name_of(which);
  }
  EXPECT_EQ(line_of(report, tokens).verdict, verdict::agree) << "others still speak";
  EXPECT_EQ(line_of(report, step_ns).verdict, verdict::unmeasured) << "one witness less";
  EXPECT_EQ(line_of(report, live_bytes).verdict, verdict::agree) << "the device told its memory";
  EXPECT_EQ(line_of(report, random_draws).verdict, verdict::unmeasured) << "never written";
  for (std::size_t gate = 1; gate < 4; ++gate) {
    EXPECT_FALSE(report.gates[gate].holds) << report.gates[gate].id;
    EXPECT_THAT(report.gates[gate].detail, HasSubstr("somebody else"));
  }
  ASSERT_EQ(report.findings.size(), 1U) << text_of(report);
  EXPECT_EQ(report.findings[0].rule, "R28");
  EXPECT_EQ(model::outcome_of(report, false), model::outcome::undecided);
}

TEST(CollectorConflict, does_not_cover_a_lie_that_others_see) {
  const auto report = without_records(scaling(launches, 2.0)).audit();
  EXPECT_EQ(line_of(report, launches).verdict, verdict::disagree) << text_of(report);
  EXPECT_EQ(rules_on(report, name_of(launches)), std::vector<std::string>{"R04"});
}

TEST(CollectorConflict, is_seen_by_its_own_rule_alone) {
  const auto report = without_records().audit(all_but("R28"));
  EXPECT_NE(line_of(report, launches).verdict, verdict::undecided);
}

// -- copies ---------------------------------------------------------------------------------------

test_trace on_pcie(double rate_factor, bool is_pageable) {
  const lie told{[=](std::vector<assay_reading>& r, int) {
                   const double rate = std::bit_cast<double>(r[weights_rate].bits);
                   r[weights_rate].bits = std::bit_cast<std::int64_t>(rate * rate_factor);
                 },
                 {}};
  test_trace trace = simulate({}, told);
  trace.rows[weights_rate].pairs_with.link = telemetry::link_class::pcie;
  trace.facts.ceilings.push_back({telemetry::link_class::pcie, 57.8e9, 63.0e9, 5, {}});
  trace.facts.ceilings.push_back({telemetry::link_class::pcie_pageable, 12e9, 63.0e9, 5, {}});
  if (!is_pageable) return trace;
  const auto is_copy = [](const assay_record& r) {
    return r.kind == ASSAY_ACTIVITY && r.op == ASSAY_OP_COPY &&
           r.range == static_cast<int>(range::weights);
  };
  for (int i = 0; assay_record* copy = trace.find(is_copy, i); ++i) copy->flags = ASSAY_PAGEABLE;
  return trace;
}

TEST(PageableCopies, are_held_against_what_the_driver_stages) {
  const auto report = on_pcie(4.0, true).audit();
  EXPECT_EQ(line_of(report, weights_rate).verdict, verdict::disagree) << text_of(report);
  EXPECT_EQ(rules_on(report, name_of(weights_rate)), std::vector<std::string>{"R02"});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].message, HasSubstr("pcie_pageable"));
  EXPECT_THAT(report.findings[0].likely_cause, HasSubstr("taken for pinned"));
}

TEST(PageableCopies, that_keep_within_it_are_no_lie) {
  EXPECT_TRUE(on_pcie(1.01, true).audit().findings.empty());
}

TEST(PageableCopies, are_not_what_pinned_ones_are_held_against) {
  const auto report = on_pcie(4.0, false).audit();
  EXPECT_EQ(rules_on(report, name_of(weights_rate)), std::vector<std::string>{"R05"})
      << "40 GB/s are no wonder there; they are still not what was observed";
}

TEST(PageableCopies, bind_only_where_every_byte_was_one) {
  test_trace trace = on_pcie(4.0, true);
  trace
      .find([](const assay_record& r) {
        return r.kind == ASSAY_ACTIVITY && r.flags == ASSAY_PAGEABLE;
      })
      ->flags = 0;
  EXPECT_EQ(rules_on(trace.audit(), name_of(weights_rate)), std::vector<std::string>{"R05"});
}

// A step's launch becomes that of a graph with one kernel and a copy that nobody asked for.
void hide_copies(test_trace& in, std::int64_t bytes) {
  const auto is_launch = [](int kind) {
    return [=](const assay_record& r) { return r.kind == kind && r.op == ASSAY_OP_LAUNCH; };
  };
  for (int i = 0; assay_record* call = in.find(is_launch(ASSAY_SUBMISSION), i); ++i) {
    call->flags = ASSAY_SPLIT;
    call->amount = 1;
  }
  std::vector<piece> with;
  for (const piece& one : in.pieces) {
    const auto* work = std::get_if<assay_record>(&one);
    with.push_back(one);
    if (work == nullptr || !is_launch(ASSAY_ACTIVITY)(*work)) continue;
    assay_record copy = *work;
    copy.op = ASSAY_OP_COPY;
    copy.direction = ASSAY_H2D;
    copy.amount = bytes;
    copy.start_ns = work->start_ns + 10;
    copy.end_ns = work->start_ns + 90;
    with.emplace_back(copy);
  }
  in.pieces = std::move(with);
}

TEST(HiddenCopies, in_a_graph_are_reported_as_nobodys) {
  test_trace trace = simulate();
  hide_copies(trace, 4096);
  const auto report = trace.audit();
  EXPECT_EQ(rules_on(report, "copy h2d compute"), std::vector<std::string>{"R15"})
      << text_of(report);
  EXPECT_EQ(line_of(report, launches).verdict, verdict::agree) << "its kernels are whole";
  EXPECT_EQ(line_of(report, inputs_bytes).verdict, verdict::agree);
}

TEST(HiddenCopies, of_a_claimed_range_are_missed_by_a_counter_of_calls) {
  test_trace trace = simulate();
  trace.rows[inputs_bytes].claims.range = range::compute;
  hide_copies(trace, 4096);
  const auto report = trace.audit();
  EXPECT_EQ(line_of(report, inputs_bytes).verdict, verdict::disagree) << text_of(report);
  EXPECT_EQ(rules_on(report, name_of(inputs_bytes)), std::vector<std::string>{"R04"});
}

TEST(HiddenCopies, that_move_nothing_are_no_finding) {
  test_trace trace = simulate();
  hide_copies(trace, 0);
  EXPECT_TRUE(trace.audit().findings.empty()) << text_of(trace.audit());
}

// Beside the ledger's word on the weights' bytes, that of the driver's count on the link.
test_trace with_link_count(std::int64_t least_bytes, std::int64_t most_bytes) {
  test_trace trace = simulate();
  trace.facts.add_fact(std::string(audit::link_bytes_fact), "counted");
  const auto of_ledger = std::find_if(trace.pieces.begin(), trace.pieces.end(), [](const piece& p) {
    const auto* record = std::get_if<assay_record>(&p);
    return record != nullptr && record->kind == ASSAY_OBSERVATION &&
           record->stream == weights_bytes;
  });
  assay_record least = std::get<assay_record>(*of_ledger);
  least.direction = ASSAY_SOURCE_NVML;
  least.op = ASSAY_AT_LEAST;
  least.amount = least_bytes;
  assay_record most = least;
  most.op = ASSAY_AT_MOST;
  most.amount = most_bytes;
  trace.pieces.insert(of_ledger, {piece(least), piece(most)});
  return trace;
}

TEST(LinkBytes, a_count_that_encloses_the_records_copies_holds) {
  const auto report = with_link_count(8'000'024, 8'500'000).audit();
  ASSERT_EQ(report.gates.size(), 5u);
  EXPECT_EQ(report.gates[4].id, "G5");
  EXPECT_TRUE(report.gates[4].holds);
  EXPECT_EQ(report.gates[4].evaluated_samples, 1u);
  EXPECT_EQ(report.gates[4].detail,
            "copies of 8000024 B by their records; NVML's count allows 8000024 to 8500000 B");
  EXPECT_EQ(line_of(report, weights_bytes).verdict, verdict::agree);
}

// Bytes that no record shows, or records of bytes that no link carried.
TEST(LinkBytes, a_count_that_does_not_voids_the_records_of_the_copies) {
  for (const auto& trace :
       {with_link_count(8'000'025, 9'000'000), with_link_count(7'000'000, 8'000'023)}) {
    const auto report = trace.audit();
    ASSERT_EQ(report.gates.size(), 5u);
    EXPECT_FALSE(report.gates[4].holds);
    EXPECT_THAT(text_of(report), HasSubstr("G5"));
    EXPECT_EQ(line_of(report, weights_ns).verdict, verdict::undecided) << text_of(report);
    EXPECT_EQ(line_of(report, inputs_bytes).verdict, verdict::agree) << text_of(report);
  }
}

TEST(LinkBytes, are_undecided_where_a_gpu_has_no_count_that_tells_and_absent_on_a_host) {
  test_trace trace = simulate();
  EXPECT_EQ(trace.audit().gates.size(), 4u);
  trace.facts.add_fact(std::string(audit::link_bytes_fact), "not counted: no libnvidia-ml.so.1");
  const auto report = trace.audit();
  ASSERT_EQ(report.gates.size(), 5u);
  EXPECT_FALSE(report.gates[4].holds);
  EXPECT_EQ(report.gates[4].evaluated_samples, 0u);
  EXPECT_EQ(report.gates[4].detail, "not counted: no libnvidia-ml.so.1");
  EXPECT_THAT(report.findings, testing::IsEmpty());
  EXPECT_EQ(line_of(report, weights_bytes).verdict, verdict::agree);
}

}  // namespace
}  // namespace assay::audit_test
