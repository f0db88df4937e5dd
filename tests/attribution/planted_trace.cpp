// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/attribution/planted_trace.h"

#include <gtest/gtest.h>

#include "harness/attribution/investigator.h"

namespace assay::attribution_test {
namespace {

constexpr std::uint32_t caller_tid = 7;
constexpr std::uint32_t worker_tid = 8;
constexpr std::uint16_t compute_range = 4;

}  // namespace

void planted_trace::window(std::uint8_t kind, assay_window which, std::uint64_t index) {
  assay_record record{};
  record.kind = kind;
  record.op = static_cast<std::uint8_t>(which);
  record.correlation = index;
  (kind == ASSAY_WINDOW_BEGIN ? record.start_ns : record.end_ns) = now_ns;
  records.push_back(record);
}

void planted_trace::clock_sample() {
  assay_record record{};
  record.kind = ASSAY_CLOCK_SAMPLE;
  record.start_ns = now_ns;
  record.end_ns = now_ns + 80;
  record.amount = now_ns + 40 + device_offset_ns;
  records.push_back(record);
}

void planted_trace::work(assay_op op, assay_direction direction, std::int64_t after_ns,
                         std::int64_t length_ns, std::int64_t amount, std::int64_t weight_bytes) {
  assay_record call{};
  call.kind = ASSAY_SUBMISSION;
  call.op = static_cast<std::uint8_t>(op);
  call.direction = op == ASSAY_OP_COPY ? static_cast<std::uint8_t>(direction) : std::uint8_t{0};
  call.range = compute_range;
  call.stream = 1;
  call.tid = caller_tid;
  call.correlation = records.size() + 1;
  call.start_ns = now_ns;
  now_ns += call_ns;
  call.end_ns = now_ns;
  call.amount = amount;
  records.push_back(call);
  assay_record done = call;
  done.kind = ASSAY_ACTIVITY;
  done.range = 0;
  done.tid = worker_tid;
  done.start_ns = now_ns + after_ns + device_offset_ns;
  done.end_ns = done.start_ns + length_ns;
  done.extra[1] = weight_bytes;
  records.push_back(done);
}

void planted_trace::wait(std::int64_t length_ns) {
  assay_record call{};
  call.kind = ASSAY_SUBMISSION;
  call.op = ASSAY_OP_SYNC;
  call.stream = 1;
  call.tid = caller_tid;
  call.correlation = records.size() + 1;
  call.start_ns = now_ns;
  now_ns += length_ns;
  call.end_ns = now_ns;
  records.push_back(call);
}

void planted_trace::memory(std::uint8_t op, std::int64_t length_ns) {
  assay_record told{};
  told.kind = ASSAY_MEMORY;
  told.op = op;
  told.start_ns = now_ns;
  told.amount = 64;
  told.extra[0] = length_ns;
  records.push_back(told);
}

void planted_trace::thread(std::uint32_t tid, std::uint8_t role, std::int64_t run_ns,
                           std::int64_t wait_ns) {
  assay_record record{};
  record.kind = ASSAY_THREAD;
  record.op = role;
  record.stream = tid;
  record.start_ns = now_ns;
  record.amount = run_ns;
  record.extra[0] = wait_ns;
  records.push_back(record);
}

void planted_trace::overhead(assay_overhead what, std::int64_t before_ns, std::int64_t length_ns,
                             bool is_callers) {
  assay_record record{};
  record.kind = ASSAY_OVERHEAD;
  record.op = static_cast<std::uint8_t>(what);
  record.tid = is_callers ? caller_tid : 0;
  record.start_ns = now_ns - before_ns;
  record.end_ns = record.start_ns + length_ns;
  records.push_back(record);
}

void planted_trace::step(std::uint64_t index, std::int64_t unclaimed_ns) {
  begin(ASSAY_WINDOW_DECODE_STEP, index);
  work(ASSAY_OP_LAUNCH, ASSAY_H2D, 0, 4'000, 0, 4096);
  work(ASSAY_OP_COPY, ASSAY_H2D, 3'900, 1'000, 512);
  wait(10'000 - unclaimed_ns - 200);
  pass(unclaimed_ns);
  end(ASSAY_WINDOW_DECODE_STEP, index);
}

model::investigation planted_trace::investigate(bool keeps_launches) const {
  attribution::investigator fold;
  if (keeps_launches) fold.keep_launches();
  EXPECT_TRUE(fold.facts(facts));
  EXPECT_TRUE(fold.records(records));
  model::audit_report audit;
  audit.is_complete = true;
  return fold.finish(audit);
}

std::int64_t part(const model::part_times_ns& parts, model::time_part which) {
  return parts[static_cast<std::size_t>(which)];
}

}  // namespace assay::attribution_test
