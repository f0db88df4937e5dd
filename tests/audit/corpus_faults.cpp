// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/audit/corpus_faults.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/telemetry/range.h"

namespace assay::audit_test {
namespace {

bool is_kernel(const assay_record& r) {
  return r.kind == ASSAY_ACTIVITY && r.op == ASSAY_OP_LAUNCH;
}

// Each record of a kind by its number, counted from 0.
test_trace with_each(const std::function<bool(const assay_record&)>& fits,
                     const std::function<void(assay_record&, int nth)>& damage) {
  test_trace run = simulate();
  int nth = 0;
  for (piece& each : run.pieces)
    if (auto* record = std::get_if<assay_record>(&each); record != nullptr && fits(*record))
      damage(*record, nth++);
  return run;
}

void shift(assay_record& r, std::int64_t ns) {
  r.start_ns += ns;
  r.end_ns += ns;
}

}  // namespace

test_trace shifted_first_records() {
  return with_each(is_kernel, [](assay_record& r, int nth) {
    if (nth < 40) shift(r, -50'000'000);
  });
}

test_trace zeroed_times() {
  return with_each(is_kernel, [](assay_record& r, int nth) {
    if (nth % 50 == 7) r.start_ns = r.end_ns = 0;
  });
}

test_trace other_epoch() {
  return with_each([](const assay_record& r) { return r.kind == ASSAY_ACTIVITY; },
                   [](assay_record& r, int) { shift(r, 1'700'000'000'000'000'000); });
}

test_trace loop_bodies_lost() {
  test_trace run = simulate();
  for (int i = 0; i < 60; ++i) run.drop(is_kernel, 30);
  return run;
}

test_trace replays_unseen() {
  test_trace run = simulate();
  while (run.find(is_kernel, 12) != nullptr) run.drop(is_kernel, 12);
  return run;
}

test_trace sentinel_doubled() {
  return with_each(
      [](const assay_record& r) {
        return r.kind == ASSAY_ACTIVITY && r.op == ASSAY_OP_COPY &&
               r.range == static_cast<int>(telemetry::range::sentinel);
      },
      [](assay_record& r, int) { r.amount *= 2; });
}

// The load's own waits, in the first request once more.
test_trace load_counted_in_a_request() {
  return simulate({}, {[](std::vector<assay_reading>& r, int window) {
                         if (window != ASSAY_WINDOW_LOAD) ++r[syncs].bits;
                       },
                       {}});
}

test_trace record_dropped() {
  test_trace run = simulate();
  run.drop(is_kernel, 30);
  return run;
}

test_trace record_doubled() {
  test_trace run = simulate();
  int nth = 0;
  for (auto at = run.pieces.begin(); at != run.pieces.end(); ++at) {
    const auto* record = std::get_if<assay_record>(&*at);
    if (record == nullptr || !is_kernel(*record) || nth++ != 30) continue;
    const piece copy = *at;
    run.pieces.insert(at, copy);
    break;
  }
  return run;
}

test_trace clock_shifted() {
  return with_each([](const assay_record& r) { return r.kind == ASSAY_ACTIVITY; },
                   [](assay_record& r, int) { shift(r, 50'000'000); });
}

test_trace buffer_denied() {
  test_trace run = record_dropped();
  assay_record loss{};
  loss.kind = ASSAY_LOSS;
  loss.direction = ASSAY_SOURCE_DEVICE_RECORDS;
  loss.amount = 1;
  run.pieces.insert(run.pieces.end() - 1, loss);
  return run;
}

// From the middle on, neither the calls nor the work come any more; the program goes on counting.
test_trace callbacks_stolen() {
  test_trace run = simulate();
  std::vector<piece> kept;
  int windows = 0;
  for (piece& each : run.pieces) {
    const auto* record = std::get_if<assay_record>(&each);
    if (record != nullptr && record->kind == ASSAY_WINDOW_BEGIN) ++windows;
    const bool is_taken = record != nullptr && windows > 24 &&
                          (record->kind == ASSAY_SUBMISSION || record->kind == ASSAY_ACTIVITY);
    if (!is_taken) kept.push_back(std::move(each));
  }
  run.pieces = std::move(kept);
  return run;
}

test_trace kernels_unclaimed() {
  test_trace run = simulate();
  for (const row which : {compute_ns, launches, weight_reads}) {
    run.rows[which].claims = {};
    run.rows[which].claims.reason = "left out";
  }
  return run;
}

namespace {

// Each counted wait is one a pass.
test_trace waiting(bool is_counted) {
  auto passes = std::make_shared<std::int64_t>(0);
  test_trace run = simulate({}, {[=](std::vector<assay_reading>& r, int window) {
                                   *passes += window == ASSAY_WINDOW_PREFILL ||
                                              window == ASSAY_WINDOW_DECODE_STEP;
                                   if (is_counted) r[syncs].bits += *passes;
                                 },
                                 {}});
  std::vector<piece> pieces;
  std::uint64_t correlation = 1'000'000;
  int in_window = 0;
  for (piece& each : run.pieces) {
    const auto* record = std::get_if<assay_record>(&each);
    pieces.push_back(each);
    if (record == nullptr) continue;
    if (record->kind == ASSAY_WINDOW_BEGIN) in_window = 0;
    if (record->kind != ASSAY_SUBMISSION || record->op != ASSAY_OP_LAUNCH) continue;
    if (++in_window != 6) continue;
    assay_record wait = *record;
    wait.op = ASSAY_OP_SYNC;
    wait.range = 0;
    wait.correlation = ++correlation;
    wait.start_ns = record->end_ns + 1;
    wait.end_ns = record->end_ns + 40;
    pieces.emplace_back(wait);
  }
  run.pieces = std::move(pieces);
  return run;
}

}  // namespace

test_trace waits_between_kernels() {
  test_trace run = waiting(false);
  // A telemetry that waits does not count its waits.
  run.rows[syncs].claims = {};
  run.rows[syncs].claims.reason = "left out";
  return run;
}

test_trace waits_counted_as_work() {
  return waiting(true);
}

test_trace waits_of_the_work() {
  test_trace run = waiting(true);
  for (piece& each : run.pieces)
    if (auto* record = std::get_if<assay_record>(&each);
        record != nullptr && record->kind == ASSAY_OBSERVATION && record->stream == syncs)
      record->amount *= 2;
  return run;
}

test_trace waits_of_a_lossy_trace() {
  test_trace run = waits_of_the_work();
  run.drop(is_kernel, 30);
  return run;
}

}  // namespace assay::audit_test
