// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a damaged ground truth that still convicts or acquits would go unnoticed: what a
// fault touches must become undecided, and nothing else may change.
#include <algorithm>
#include <ostream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/telemetry/range.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using model::verdict;
using telemetry::range;

using filter = std::function<bool(const assay_record&)>;

filter of(int kind, int op, range r) {
  return [=](const assay_record& record) {
    return record.kind == kind && record.op == op && record.range == static_cast<int>(r);
  };
}

void shift(assay_record& record, std::int64_t ns) {
  record.start_ns += ns;
  record.end_ns += ns;
}

void every(test_trace& in, const filter& fits, const std::function<void(assay_record&)>& change) {
  for (int i = 0; assay_record* record = in.find(fits, i); ++i) change(*record);
}

void repeat(test_trace& in, const filter& fits, int nth) {
  const assay_record copy = *in.find(fits, nth);
  for (auto at = in.pieces.begin(); at != in.pieces.end(); ++at) {
    const auto* record = std::get_if<assay_record>(&*at);
    if (record == nullptr || record->kind != copy.kind || record->correlation != copy.correlation)
      continue;
    in.pieces.insert(at, piece(copy));
    return;
  }
}

void insert_loss(test_trace& in, int source, std::int64_t amount) {
  assay_record loss{};
  loss.kind = ASSAY_LOSS;
  loss.direction = static_cast<std::uint8_t>(source);
  loss.amount = amount;
  in.pieces.insert(in.pieces.begin() + static_cast<std::ptrdiff_t>(in.pieces.size() / 2),
                   piece(loss));
}

const std::set<row> launch_rows{compute_ns, launches, weight_reads};
const std::set<row> weight_rows{weights_bytes, weights_copies, weights_ns, weights_rate};
const std::set<row> time_rows{weights_ns, weights_rate, inputs_ns, compute_ns, step_ns};
const std::set<row> device_rows{weights_bytes, weights_copies, weights_ns,   weights_rate,
                                inputs_bytes,  inputs_ns,      logits_bytes, compute_ns,
                                launches,      weight_reads,   live_bytes,   peak_bytes,
                                frees,         syncs,          step_ns};

std::set<row> with_step(std::set<row> rows) {
  rows.insert(step_ns);  // one of its references rests on the records of the damaged window
  return rows;
}

struct fault {
  const char* name;
  std::function<void(test_trace&)> damage;
  std::set<row> touched;
};

std::ostream& operator<<(std::ostream& out, const fault& one) {
  return out << one.name;
}

class Faults : public testing::TestWithParam<fault> {};

TEST_P(Faults, make_what_they_touch_undecided_and_leave_the_rest_judged) {
  test_trace trace = simulate();
  GetParam().damage(trace);
  const auto report = trace.audit();
  for (std::size_t i = 0; i < row_total; ++i) {
    if (i == random_draws || i == graph_nodes) continue;
    const bool is_touched = GetParam().touched.contains(static_cast<row>(i));
    EXPECT_EQ(report.counters[i].verdict, is_touched ? verdict::undecided : verdict::agree)
        << report.counters[i].name << "\n"
        << text_of(report);
  }
}

TEST_P(Faults, never_accuse_a_counter) {
  test_trace trace = simulate();
  GetParam().damage(trace);
  const auto report = trace.audit();
  for (const model::finding& found : report.findings)
    EXPECT_TRUE(found.rule == "R17" || found.rule == "R18") << text_of(report);
}

TEST_P(Faults, never_let_a_lie_on_what_they_touch_agree) {
  for (const row which : GetParam().touched) {
    test_trace trace =
        simulate({}, {[which](std::vector<assay_reading>& r, int) { scale(r[which], 2); }, {}});
    GetParam().damage(trace);
    EXPECT_NE(line_of(trace.audit(), which).verdict, verdict::agree) << name_of(which);
  }
}

const auto launch_run = of(ASSAY_ACTIVITY, ASSAY_OP_LAUNCH, range::compute);
const auto launch_call = of(ASSAY_SUBMISSION, ASSAY_OP_LAUNCH, range::compute);
const auto weight_run = of(ASSAY_ACTIVITY, ASSAY_OP_COPY, range::weights);
const auto sentinel_run = of(ASSAY_ACTIVITY, ASSAY_OP_COPY, range::sentinel);
const auto sentinel_call = of(ASSAY_SUBMISSION, ASSAY_OP_COPY, range::sentinel);
const auto compute_event = of(ASSAY_ACTIVITY, ASSAY_OP_EVENT, range::compute);
const filter clock_samples = [](const assay_record& r) { return r.kind == ASSAY_CLOCK_SAMPLE; };
const filter announcements = [](const assay_record& r) { return r.kind == ASSAY_SENTINEL; };
constexpr std::int64_t ms = 1'000'000;

// Records that are missing, doubled or contradictory.
std::vector<fault> record_faults() {
  return {
      fault{"one_launch_record_dropped", [](test_trace& t) { t.drop(launch_run, 17); },
            with_step(launch_rows)},
      fault{"one_launch_call_dropped", [](test_trace& t) { t.drop(launch_call, 17); },
            with_step(launch_rows)},
      fault{"one_weight_copy_dropped", [](test_trace& t) { t.drop(weight_run, 3); }, weight_rows},
      fault{"the_last_record_dropped", [](test_trace& t) { t.drop(launch_run, 12 * 42 - 1); },
            with_step(launch_rows)},
      fault{"one_event_dropped",
            [](test_trace& t) { t.drop(compute_event, 4); },
            {compute_ns, step_ns}},
      fault{"a_launch_reported_twice", [](test_trace& t) { repeat(t, launch_run, 30); },
            with_step(launch_rows)},
      fault{"a_call_reported_twice", [](test_trace& t) { repeat(t, launch_call, 30); },
            with_step(launch_rows)},
      fault{"times_of_a_launch_zeroed",
            [](test_trace& t) {
              t.find(launch_run, 5)->start_ns = 0;
              t.find(launch_run, 5)->end_ns = 0;
            },
            with_step(launch_rows)},
      fault{"half_of_a_copy", [](test_trace& t) { t.find(weight_run, 2)->amount /= 2; },
            weight_rows}};
}

// Records on another clock.
std::vector<fault> shifted_faults() {
  return {
      fault{"all_launches_50_ms_late",
            [](test_trace& t) { every(t, launch_run, [](assay_record& r) { shift(r, 50 * ms); }); },
            {compute_ns, step_ns}},
      fault{"everything_labelled_compute_50_ms_late",
            [](test_trace& t) {
              every(
                  t,
                  [](const assay_record& r) {
                    return r.kind == ASSAY_ACTIVITY && r.range == static_cast<int>(range::compute);
                  },
                  [](assay_record& r) { shift(r, 50 * ms); });
            },
            {compute_ns, step_ns}},
      fault{"events_of_another_label_50_ms_late",
            [](test_trace& t) {
              const filter is_compute_event = [](const assay_record& r) {
                return (r.kind == ASSAY_ACTIVITY || r.kind == ASSAY_SUBMISSION) &&
                       r.op == ASSAY_OP_EVENT && r.range == static_cast<int>(range::compute);
              };
              while (assay_record* event = t.find(is_compute_event)) {
                event->range = static_cast<std::uint16_t>(range::logits);
                if (event->kind == ASSAY_ACTIVITY) shift(*event, 50 * ms);
              }
            },
            {compute_ns, step_ns}},
      fault{"a_copy_done_before_it_was_asked_for",
            [](test_trace& t) {
              const auto logits = [](int kind) { return of(kind, ASSAY_OP_COPY, range::logits); };
              assay_record& run = *t.find(logits(ASSAY_ACTIVITY), 3);
              shift(run, t.find(logits(ASSAY_SUBMISSION), 3)->start_ns - 6'000 - run.start_ns);
            },
            {step_ns, logits_bytes}},
      fault{"one_launch_50_ms_late",
            [](test_trace& t) { shift(*t.find(launch_run, 40), 50 * ms); },
            {compute_ns, step_ns}},
      fault{"the_device_clock_50_ms_late_in_the_load",
            [](test_trace& t) {
              every(
                  t,
                  [](const assay_record& r) {
                    return r.kind == ASSAY_ACTIVITY && r.range == static_cast<int>(range::weights);
                  },
                  [](assay_record& r) { shift(r, 50 * ms); });
            },
            {weights_ns, weights_rate}},
      fault{"the_device_clock_50_ms_early_in_the_load",
            [](test_trace& t) {
              every(
                  t,
                  [](const assay_record& r) {
                    return r.kind == ASSAY_ACTIVITY && r.range == static_cast<int>(range::weights);
                  },
                  [](assay_record& r) { shift(r, -50 * ms); });
            },
            weight_rows}};
}

// Clocks and accounts of loss.
std::vector<fault> account_faults() {
  return {fault{"clock_samples_step_by_50_ms",
                [](test_trace& t) { t.find(clock_samples, 2)->amount += 50 * ms; }, time_rows},
          fault{"no_clock_samples",
                [](test_trace& t) {
                  while (t.find(clock_samples) != nullptr) t.drop(clock_samples);
                },
                time_rows},
          fault{"clock_brackets_too_wide",
                [](test_trace& t) {
                  every(t, clock_samples, [](assay_record& r) { r.end_ns = r.start_ns + 10'001; });
                },
                time_rows},
          fault{"records_lost_by_their_own_account",
                [](test_trace& t) { insert_loss(t, ASSAY_SOURCE_DEVICE_RECORDS, 1); }, device_rows},
          fault{"the_ledger_lost_something",
                [](test_trace& t) { insert_loss(t, ASSAY_SOURCE_LEDGER, 1); },
                {weights_bytes, weights_copies, inputs_bytes, logits_bytes, launches, weight_reads,
                 live_bytes, peak_bytes, frees, syncs, tokens}}};
}

// An executor that runs things otherwise than asked.
std::vector<fault> executor_faults() {
  return {fault{"two_weight_copies_out_of_order",
                [](test_trace& t) {
                  assay_record& a = *t.find(weight_run, 2);
                  assay_record& b = *t.find(weight_run, 3);
                  std::swap(a.start_ns, b.start_ns);
                  std::swap(a.end_ns, b.end_ns);
                },
                weight_rows},
          fault{"two_launches_out_of_order_that_may_overlap",
                [](test_trace& t) {
                  for (const int i : {1, 2}) t.find(launch_run, i)->flags |= ASSAY_PROGRAMMATIC;
                  std::swap(t.find(launch_run, 1)->start_ns, t.find(launch_run, 2)->start_ns);
                  std::swap(t.find(launch_run, 1)->end_ns, t.find(launch_run, 2)->end_ns);
                },
                with_step(launch_rows)},
          fault{"two_launches_that_overlap_and_may_not",
                [](test_trace& t) {
                  t.find(launch_run, 1)->flags |= ASSAY_PROGRAMMATIC;
                  t.find(launch_run, 1)->end_ns = t.find(launch_run, 2)->start_ns + 1;
                },
                with_step(launch_rows)},
          fault{"stamped_at_the_enqueue",
                [](test_trace& t) {
                  for (int i = 0; i < 8; ++i) {
                    const assay_record call =
                        *t.find(of(ASSAY_SUBMISSION, ASSAY_OP_COPY, range::weights), i);
                    t.find(weight_run, i)->start_ns = call.end_ns;
                    t.find(weight_run, i)->end_ns = call.end_ns + 50;
                  }
                },
                weight_rows},
          fault{"a_sentinel_vanished",
                [](test_trace& t) {
                  t.drop(sentinel_run, 1);
                  t.drop(sentinel_call, 1);
                },
                device_rows},
          fault{"a_sentinel_record_dropped", [](test_trace& t) { t.drop(sentinel_run, 0); },
                device_rows},
          fault{"a_sentinel_of_wrong_content",
                [](test_trace& t) { t.find(announcements, 1)->op = 0; }, device_rows},
          fault{"a_sentinel_of_wrong_size",
                [](test_trace& t) {
                  t.find(sentinel_run, 0)->amount -= 1;
                  t.find(sentinel_call, 0)->amount -= 1;
                },
                device_rows},
          fault{"no_sentinel_at_all",
                [](test_trace& t) {
                  while (t.find(announcements) != nullptr) t.drop(announcements);
                },
                device_rows},
          fault{"a_record_of_no_known_operation",
                [](test_trace& t) { t.find(launch_run, 9)->op = 99; }, device_rows}};
}

std::vector<fault> every_fault() {
  std::vector<fault> all;
  for (const auto& some : {record_faults(), shifted_faults(), account_faults(), executor_faults()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::string name_of_fault(const testing::TestParamInfo<fault>& of) {
  return of.param.name;
}

INSTANTIATE_TEST_SUITE_P(Each, Faults, testing::ValuesIn(every_fault()), name_of_fault);

TEST(FaultsAndRules, a_dropped_record_convicts_where_the_rule_on_completeness_is_left_out) {
  test_trace trace = simulate();
  trace.drop(launch_run, 17);
  EXPECT_FALSE(rules_on(trace.audit(all_but("R18")), name_of(launches)).empty());
}

TEST(FaultsAndRules, a_shifted_clock_convicts_or_passes_where_the_rule_on_clocks_is_left_out) {
  test_trace trace = simulate();
  every(
      trace,
      [](const assay_record& r) {
        return r.kind == ASSAY_ACTIVITY && r.range == static_cast<int>(range::weights);
      },
      [](assay_record& r) { shift(r, 50 * ms); });
  EXPECT_NE(line_of(trace.audit(all_but("R17")), weights_ns).verdict, verdict::undecided);
}

TEST(FaultsAndRules, a_memory_record_that_fits_no_other_voids_the_levels) {
  test_trace trace = simulate();
  assay_record stray{};
  stray.kind = ASSAY_MEMORY;
  stray.op = 2;
  stray.range = static_cast<std::uint16_t>(range::arena);
  stray.correlation = 0xdead;
  stray.amount = 64;
  trace.pieces.insert(trace.pieces.begin() + 20, piece(stray));
  const auto report = trace.audit();
  for (const row which : {live_bytes, peak_bytes, frees})
    EXPECT_EQ(line_of(report, which).verdict, verdict::undecided) << text_of(report);
  EXPECT_EQ(line_of(report, weights_bytes).verdict, verdict::agree);
}

}  // namespace
}  // namespace assay::audit_test
