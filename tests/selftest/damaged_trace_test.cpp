// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file damage to a recorded trace could pass: the ground truth loses, repeats or
// shifts something, and counters go on agreeing with what is left of it.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "reports/model/outcome.h"
#include "tests/selftest/faulty_run.h"

namespace assay::selftest_test {
namespace {

using model::verdict;
using telemetry::range;
using id = telemetry::counter_id;
using record_list = std::vector<assay_record>;

const memory_trace& recorded() {
  static const faulty_run run = run_with({});
  return *run.trace;
}

bool is_work(const assay_record& record, assay_op op, range of) {
  return record.kind == ASSAY_ACTIVITY && record.op == op && record.range == label(of);
}

bool is_append(const assay_record& record) {
  return is_work(record, ASSAY_OP_COPY, range::kv_append);
}

// Does `what` with the nth record that fits, counted from 0, and keeps the rest.
template <class Fits, class Change>
memory_trace::damage at(int nth, Fits fits, Change what) {
  return [=, seen = 0](const assay_record& record, record_list& kept) mutable {
    if (fits(record) && seen++ == nth)
      what(record, kept);
    else
      kept.push_back(record);
  };
}

void lose(const assay_record&, record_list&) {}

model::audit_report audited(const char* name, const memory_trace::damage& with) {
  model::audit_report report = recorded().audit(with);
  std::printf("%-34s %2zu agree, %zu disagree, %2zu undecided, %zu unmeasured\n", name,
              count_of(report, verdict::agree), count_of(report, verdict::disagree),
              count_of(report, verdict::undecided), count_of(report, verdict::unmeasured));
  return report;
}

// Never agree; nor is an honest counter accused of what its judge lost.
void expect_doubted(const model::audit_report& report, const std::vector<id>& touched) {
  for (const id counter : touched)
    EXPECT_EQ(line_of(report, counter).verdict, verdict::undecided)
        << name_of(counter) << ": " << line_of(report, counter).reason;
}

void expect_judged(const model::audit_report& report, const std::vector<id>& untouched) {
  for (const id counter : untouched)
    EXPECT_EQ(line_of(report, counter).verdict, verdict::agree)
        << name_of(counter) << ": " << line_of(report, counter).reason;
}

const std::vector<id> appends{id::kv_append_bytes, id::kv_append_copies_count};
const std::vector<id> no_appends{id::weights_h2d_bytes,      id::inputs_h2d_bytes,
                                 id::compute_launches_count, id::compute_weight_bytes,
                                 id::logits_d2h_bytes,       id::kv_allocated_pages,
                                 id::tokenizer_encoded_bytes};

TEST(DamagedTrace, is_clean_before_it_is_damaged) {
  EXPECT_EQ(outcome_of(audited("none", {})), model::outcome::clean);
}

TEST(DamagedTrace, without_one_record_of_work) {
  const auto report = audited("one activity lost", at(100, is_append, lose));
  expect_doubted(report, appends);
  expect_doubted(report, {id::device_submissions_count});
  expect_judged(report, no_appends);
}

TEST(DamagedTrace, without_the_times_of_one_record) {
  const auto report = audited("one activity without times",
                              at(100, is_append, [](assay_record record, record_list& kept) {
                                record.start_ns = record.end_ns = 0;
                                kept.push_back(record);
                              }));
  expect_doubted(report, appends);
  expect_judged(report, no_appends);
}

TEST(DamagedTrace, with_one_record_twice) {
  const auto report =
      audited("one activity twice", at(100, is_append, [](const auto& record, record_list& kept) {
                kept.push_back(record);
                kept.push_back(record);
              }));
  expect_doubted(report, appends);
  expect_judged(report, no_appends);
}

TEST(DamagedTrace, with_a_stream_fifty_milliseconds_late) {
  std::uint32_t stream = 0;
  for (const assay_record& record : recorded().all_records())
    if (is_append(record)) stream = record.stream;
  const auto report = audited("one stream 50 ms late", [=](assay_record record, record_list& kept) {
    if (record.kind == ASSAY_ACTIVITY && record.stream == stream &&
        record.range != label(range::sentinel)) {
      record.start_ns += 50'000'000;
      record.end_ns += 50'000'000;
    }
    kept.push_back(record);
  });
  expect_doubted(report, {id::inputs_h2d_ns, id::compute_device_ns, id::logits_d2h_ns,
                          id::engine_itl_ns, id::engine_decode_tokens_per_s});
  // Amounts have no clock, and the load ran on another stream.
  expect_judged(report, {id::weights_h2d_bytes, id::weights_h2d_ns, id::inputs_h2d_bytes,
                         id::kv_append_bytes, id::compute_launches_count});
}

TEST(DamagedTrace, that_says_that_records_were_lost) {
  const auto report =
      audited("a LOSS record", at(0, is_append, [](const assay_record& record, record_list& kept) {
                assay_record loss{};
                loss.kind = ASSAY_LOSS;
                loss.direction = ASSAY_SOURCE_DEVICE_RECORDS;
                loss.amount = 1;
                kept.push_back(loss);
                kept.push_back(record);
              }));
  expect_doubted(report, appends);
  expect_doubted(report, {id::weights_h2d_bytes, id::compute_device_ns, id::logits_d2h_bytes});
  expect_judged(report, {id::checkpoint_file_bytes, id::kv_allocated_pages,
                         id::tokenizer_encoded_bytes, id::tokenizer_decoded_bytes});
}

TEST(DamagedTrace, without_one_call) {
  const auto is_call = [](const assay_record& record) {
    return record.kind == ASSAY_SUBMISSION && record.op == ASSAY_OP_COPY &&
           record.range == label(range::kv_append);
  };
  const auto report = audited("one submission lost", at(100, is_call, lose));
  expect_doubted(report, appends);
  expect_judged(report, no_appends);
}

// A known answer that does not show makes every record doubtful, whichever of its parts is missing.
TEST(DamagedTrace, without_a_record_of_a_sentinel) {
  const auto is_shown = [](const assay_record& record) {
    return is_work(record, ASSAY_OP_LAUNCH, range::sentinel);
  };
  const auto is_announced = [](const assay_record& record) {
    return record.kind == ASSAY_SENTINEL;
  };
  for (const auto& report : {audited("a sentinel's work lost", at(0, is_shown, lose)),
                             audited("a sentinel's answer lost", at(0, is_announced, lose))}) {
    expect_doubted(report, appends);
    expect_doubted(report, {id::weights_h2d_bytes, id::compute_device_ns});
    expect_judged(report, {id::checkpoint_file_bytes, id::kv_allocated_pages,
                           id::tokenizer_encoded_bytes, id::tokenizer_decoded_bytes});
  }
}

}  // namespace
}  // namespace assay::selftest_test
