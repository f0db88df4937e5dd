// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/recorder.h"

#include <utility>

#include "runtime/telemetry/check.h"
#include "runtime/telemetry/clock.h"

namespace assay::cli {
namespace {

assay_record record_of(assay_record_kind kind) {
  assay_record record{};
  record.kind = static_cast<std::uint8_t>(kind);
  return record;
}

}  // namespace

recorder::recorder(record_source source, std::span<const track> tracks)
    : source_(std::move(source)) {
  lanes_.reserve(tracks.size());
  for (const track& each : tracks) lanes_.push_back({each, trace::snapshot_writer(*each.out), {}});
}

result<void> recorder::begin_window(assay_window kind, std::uint64_t index) {
  ASSAY_TRY(drain());
  window_tally_.clear();
  if (kind == ASSAY_WINDOW_REQUEST) request_tally_.clear();
  assay_record record = record_of(ASSAY_WINDOW_BEGIN);
  record.op = static_cast<std::uint8_t>(kind);
  record.correlation = index;
  record.start_ns = host_now().ns;
  ASSAY_TRY(records({&record, 1}));
  if (kind == ASSAY_WINDOW_DECODE_STEP) ++steps_;
  open_.push_back({kind, index, {host_now().ns, 0}});
  return {};
}

void recorder::mark_begin() {
  ASSAY_CHECK(!open_.empty(), "mark_begin() without an open window");
  open_.back().span.begin_ns = host_now().ns;
}

void recorder::mark_end() {
  ASSAY_CHECK(!open_.empty(), "mark_end() without an open window");
  open_.back().span.end_ns = host_now().ns;
}

result<void> recorder::stop() {
  ASSAY_CHECK(!open_.empty(), "stop() without an open window");
  if (open_.back().span.end_ns == 0) mark_end();
  return drain();
}

result<window_span> recorder::end_window() {
  ASSAY_CHECK(!open_.empty(), "end_window() without an open window");
  if (open_.back().span.end_ns == 0) ASSAY_TRY(stop());
  const open_window done = open_.back();
  ASSAY_TRY(snapshot_all(done.span.end_ns));
  assay_record record = record_of(ASSAY_WINDOW_END);
  record.op = static_cast<std::uint8_t>(done.kind);
  record.correlation = done.index;
  // The begin that counts is the one read last before the work; WINDOW_BEGIN itself was written
  // earlier, and the difference would be the harness's own time.
  record.start_ns = done.span.begin_ns;
  record.end_ns = done.span.end_ns;
  open_.pop_back();
  ASSAY_TRY(records({&record, 1}));
  return done.span;
}

result<void> recorder::observe(std::span<const reference_value> values) {
  std::vector<assay_record> batch;
  batch.reserve(values.size());
  for (const reference_value& value : values) {
    assay_record record = record_of(ASSAY_OBSERVATION);
    record.stream = static_cast<std::uint32_t>(value.counter);
    record.op = static_cast<std::uint8_t>(value.relation);
    record.direction = static_cast<std::uint8_t>(value.source);
    record.amount = value.bits;
    record.range = static_cast<std::uint16_t>(value.rests_on);
    batch.push_back(record);
  }
  return records(batch);
}

result<void> recorder::drain() {
  return source_(*this);
}

result<void> recorder::snapshot_all(std::int64_t at_ns) {
  for (lane& each : lanes_)
    ASSAY_TRY(each.snapshots.write(at_ns, each.to.instrument->readings().read_all()));
  return {};
}

result<void> recorder::contract(std::string_view json) {
  for (lane& each : lanes_) ASSAY_TRY(each.to.out->contract(each.to.instrument->contract(json)));
  return {};
}

result<void> recorder::facts(std::string_view json) {
  for (lane& each : lanes_) ASSAY_TRY(each.to.out->facts(each.to.instrument->facts(json)));
  return {};
}

result<void> recorder::records(std::span<const assay_record> records) {
  window_tally_.take(records);
  request_tally_.take(records);
  record_count_ += records.size();
  if (!open_.empty() && open_.back().kind == ASSAY_WINDOW_DECODE_STEP)
    step_records_ += records.size();
  for (lane& each : lanes_) {
    each.scratch.clear();
    const auto kept = each.to.instrument->filter(records, each.scratch);
    if (!kept.empty()) ASSAY_TRY(each.to.out->records(kept));
  }
  return {};
}

result<void> recorder::snapshot(std::int64_t, std::span<const assay_reading>) {
  return ASSAY_FAIL(internal, "a probe wrote a snapshot; only the recorder takes the counters");
}

result<void> recorder::end() {
  ASSAY_TRY(drain());
  for (lane& each : lanes_) ASSAY_TRY(each.to.out->end());
  return {};
}

}  // namespace assay::cli
