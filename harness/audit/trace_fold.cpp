// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/trace_fold.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/audit/saturating.h"

namespace assay::audit {

trace_fold::trace_fold(std::vector<counter_spec> specs)
    : specs_(std::move(specs)), claims_(&specs_), balances_(specs_), formulas_(specs_) {
  evidence_.counters.resize(specs_.size());
  for (std::size_t row = 0; row < specs_.size(); ++row) {
    evidence_.counters[row].spec = specs_[row];
    judges_.emplace_back(specs_[row]);
  }
}

void trace_fold::take(const assay_record& record) {
  ++evidence_.record_count;
  switch (record.kind) {
    case ASSAY_SUBMISSION:
      return take_submission(record);
    case ASSAY_ACTIVITY:
      return take_activity(record);
    case ASSAY_MEMORY:
      return take_memory(record);
    case ASSAY_WINDOW_BEGIN:
      return begin_window(record);
    case ASSAY_WINDOW_END:
      return end_window(record);
    case ASSAY_OBSERVATION:
      return take_observation(record);
    case ASSAY_CLOCK_SAMPLE:
      return clock_.take(record);
    case ASSAY_SENTINEL:
      absorb(false, nullptr);
      return sentinels_.take_announcement(record);
    case ASSAY_THREAD:
    case ASSAY_CONDITION:
      return;
    case ASSAY_LINK_SAMPLE:
      return evidence_.ceilings.take(record);
    case ASSAY_LOSS:
      return take_loss(record);
    case ASSAY_EVENT_SPAN:
      return take_event_span(record);
    default:
      ++evidence_.malformed.records;
  }
}

void trace_fold::take_submission(const assay_record& record) {
  if (record.op < ASSAY_OP_COPY || record.op > ASSAY_OP_SYNC) {
    ++evidence_.malformed.records;
    return;
  }
  has_spoken_ = has_spoken_ || record.range != static_cast<int>(telemetry::range::sentinel);
  if ((record.flags & ASSAY_REFUSED) == 0) work_.take_call(record.op, range_slot(record.range));
  if (record.op == ASSAY_OP_SYNC && waits_.size() < max_waits) {
    operation& wait = waits_.emplace_back();
    wait.stream = record.stream;
    wait.call_start_ns = record.start_ns;
    wait.call_end_ns = record.end_ns;
  }
  if (!leaves_activity(record.op)) return;
  if (matcher_.is_full()) absorb(false, nullptr);
  matcher_.submission(record);
}

void trace_fold::take_activity(const assay_record& record) {
  if (!leaves_activity(record.op)) {
    ++evidence_.malformed.records;
    ++matcher_.findings().unreadable_activities;
    ++matcher_.findings().total;
    return;
  }
  has_spoken_ = has_spoken_ || record.range != static_cast<int>(telemetry::range::sentinel);
  if (matcher_.is_full()) absorb(false, nullptr);
  // Unknown times stay unknown, whatever the offset of the clocks.
  const bool is_stamped = record.start_ns != 0 || record.end_ns != 0;
  matcher_.activity(record, is_stamped ? clock_.to_host(record.start_ns) : 0,
                    is_stamped ? clock_.to_host(record.end_ns) : 0);
}

void trace_fold::take_memory(const assay_record& record) {
  if (record.op != 1 && record.op != 2) {
    ++evidence_.malformed.records;
    return;
  }
  evidence_.memory.take(record);
}

void trace_fold::take_loss(const assay_record& record) {
  ++evidence_.loss_reports;
  // A loss of unknown origin or of a broken amount is a loss all the same.
  const bool is_known = record.direction > 0 && record.direction < source_total;
  const int source = is_known ? record.direction : int{ASSAY_SOURCE_DEVICE_RECORDS};
  if (record.amount == 0) return;
  std::int64_t& lost = evidence_.losses[static_cast<std::size_t>(source)];
  lost = saturating_add(lost, std::max<std::int64_t>(record.amount, 1));
}

void trace_fold::take_observation(const assay_record& record) {
  const bool is_known = record.stream < specs_.size() && record.direction > 0 &&
                        record.direction < source_total && record.op >= ASSAY_EQUAL &&
                        record.op <= ASSAY_AT_LEAST;
  if (!is_known || windows_.depth() == 0 || waiting_.size() == max_waiting) {
    ++evidence_.malformed.observations;
    return;
  }
  waiting_.push_back(
      {windows_.depth(), record.stream, record.direction, record.op, record.amount, record.range});
}

// A span outside every window is nobody's: no counter is compared there.
void trace_fold::take_event_span(const assay_record& record) {
  if (!events_.take(record)) ++evidence_.malformed.records;
}

// The third side of the triangle: whatever ran between two stamps of the harness, events right
// around it say no longer than the stamps. The outer ones may: where a stream is waited for by an
// event of the runtime's, the one behind that comes when it comes, and the window may have closed.
void trace_fold::check_event_spans(const closed_window& window) {
  for (int slot = 0; slot < range_slots; ++slot) {
    const event_span& seen = events_.of(slot);
    if (seen.pairs == 0) continue;
    ++evidence_.event_spans_checked;
    if (static_cast<double>(seen.least_ns) >
        static_cast<double>(window.host_span_ns) + seen.slack_ns())
      ++evidence_.event_spans[static_cast<std::size_t>(slot)].longer_than_host;
  }
}

void trace_fold::begin_window(const assay_record& record) {
  absorb(false, nullptr);
  if (record.op == 0 || record.op >= window_kinds) {
    ++evidence_.malformed.records;
    return;
  }
  if (record.op == ASSAY_WINDOW_REQUEST) claims_.begin_request();
  if (!windows_.begin(record.op, record.correlation, record.start_ns, claims_.baseline())) {
    ++evidence_.malformed.windows;
    return;
  }
  marks_.push_back({slot_defects::of(matcher_.findings(), order_.defects()), mistimed_});
}

void trace_fold::end_window(const assay_record& record) {
  if (!windows_.is_innermost(record.op, record.correlation)) {
    ++evidence_.malformed.windows;
    return;
  }
  const window_frame& frame = *windows_.innermost();
  absorb(true, &record.end_ns);
  ++evidence_.window_count;
  kind_totals& kind = evidence_.by_kind[static_cast<std::size_t>(frame.name.kind)];
  ++kind.windows;
  kind.host_span_ns = saturating_add(
      kind.host_span_ns, std::max<std::int64_t>(saturating_sub(record.end_ns, frame.begin_ns), 0));
  if (record.end_ns < frame.begin_ns) ++evidence_.malformed.windows;
  note_silence(frame.name);
  const closed_window window{
      frame.name, std::max<std::int64_t>(saturating_sub(record.end_ns, frame.begin_ns), 0),
      record.end_ns, waits_, &events_};
  check_event_spans(window);
  if (frame.has_snapshot) {
    close_counters(window);
    settle_observations(window, windows_.depth());
  } else {
    ++evidence_.malformed.unsnapped_windows;
    while (!waiting_.empty() && waiting_.back().depth >= windows_.depth()) waiting_.pop_back();
  }
  windows_.pop();
  marks_.pop_back();
}

void trace_fold::take_snapshot(std::span<const assay_reading> readings) {
  ++evidence_.snapshot_count;
  if (!claims_.take_snapshot(readings)) {
    ++evidence_.malformed.snapshots;
    return;
  }
  windows_.mark_snapshot();
  if (windows_.depth() != 0) return;
  absorb(true, nullptr);
  closed_window outside;
  outside.end_ns = std::numeric_limits<std::int64_t>::max();
  outside.waits = waits_;
  close_counters(outside);
}

void trace_fold::absorb(bool is_final, const std::int64_t* window_end_ns) {
  matcher_.drain(is_final, joined_);
  if (joined_.empty()) return;
  for (operation& op : joined_) absorb_one(op, window_end_ns);
  order_.check(joined_);
  for (counter_judge& judge : judges_) judge.take(joined_);
}

void trace_fold::absorb_one(operation& op, const std::int64_t* window_end_ns) {
  check_times(op, window_end_ns);
  cell_totals& totals =
      evidence_.totals[static_cast<std::size_t>(cell_of(op.op, op.direction, op.slot))];
  ++totals.records;
  totals.bytes = saturating_add(totals.bytes, op.moved_bytes);
  totals.pageable_bytes = saturating_add(totals.pageable_bytes, op.pageable_bytes);
  totals.device_ns = saturating_add(
      totals.device_ns, std::max<std::int64_t>(saturating_sub(op.end_ns, op.start_ns), 0));
  if (op.slot == sentinel_slot)
    sentinels_.take_operation(op);
  else
    work_.take(op);
}

void trace_fold::check_times(operation& op, const std::int64_t* window_end_ns) {
  if (op.start_ns == 0 && op.end_ns == 0) return;
  ++evidence_.times_checked;
  const std::int64_t slack_ns = record_slack_ns + clock_.findings().bound_ns;
  const std::int64_t early_ns = saturating_sub(op.call_start_ns, op.start_ns);
  std::int64_t outside_ns = 0;
  const window_frame* frame = windows_.innermost();
  if (frame != nullptr && op.slot != sentinel_slot) {
    outside_ns = saturating_sub(frame->begin_ns, op.start_ns);
    if (window_end_ns != nullptr)
      outside_ns = std::max(outside_ns, saturating_sub(op.end_ns, *window_end_ns));
  }
  // Nothing runs before it was asked for: only the map between the clocks may be off.
  const bool is_early = early_ns > clock_.findings().bound_ns;
  if (!is_early && outside_ns <= slack_ns) return;
  ++mistimed_;
  op.is_mistimed = true;
  clock_defects& cell =
      evidence_.clock[static_cast<std::size_t>(cell_of(op.op, op.direction, op.slot))];
  if (is_early) ++cell.early;
  if (outside_ns > slack_ns) ++cell.outside;
  cell.worst_ns = std::max({cell.worst_ns, early_ns, outside_ns});
}

void trace_fold::note_silence(const window_name& window) {
  const bool has_spoken = std::exchange(has_spoken_, false);
  if (window.kind != ASSAY_WINDOW_PREFILL && window.kind != ASSAY_WINDOW_DECODE_STEP) return;
  mute_tally& mute = evidence_.mute;
  ++mute.passes;
  if (has_spoken) {
    ++mute.spoke;
    mute.last_mute = 0;
  } else if (mute.last_mute++ == 0) {
    mute.first_mute = window;
  }
}

void trace_fold::close_counters(const closed_window& window) {
  for (std::size_t row = 0; row < judges_.size(); ++row) {
    const claim_value claim = claims_.since_advance(row);
    note_range(row, window.name);
    note_reading(row, claim, window);
    judges_[row].close(window, claim, claims_.baseline()[row], work_, evidence_, row);
  }
  balances_.close(window.name, claims_);
  formulas_.close(window.name, claims_);
  kind_totals& kind = evidence_.by_kind[static_cast<std::size_t>(window.name.kind)];
  for (std::size_t cell = 0; cell < kind.work.size(); ++cell)
    kind.work[cell].add(work_.cells()[cell]);
  claims_.advance();
  work_.clear();
  events_.clear();
  waits_.clear();
  evidence_.memory.clear_window();
}

void trace_fold::note_range(std::size_t row, const window_name& window) {
  const assay_reading& reading = claims_.latest(row);
  if (reading.state != ASSAY_MEASURED && reading.state != ASSAY_ZERO &&
      reading.state != ASSAY_LOWER_BOUND)
    return;
  counter_evidence& counter = evidence_.counters[row];
  ++counter.range.checked;
  const range_fault fault = fault_of(counter.spec, reading.bits);
  if (fault == range_fault::none || counter.range.outside++ > 0) return;
  counter.range.first_fault = fault;
  counter.range.first = {true, window, number::of_bits(reading.bits, counter.spec.is_real()), {}};
}

void trace_fold::note_reading(std::size_t row, const claim_value& claim,
                              const closed_window& window) {
  counter_evidence& counter = evidence_.counters[row];
  counter.has_reading = true;
  const std::uint32_t state = claims_.latest(row).state;
  counter.last_state = state <= ASSAY_LOST ? static_cast<telemetry::reading_state>(state)
                                           : telemetry::reading_state::lost;
  counter.was_lower_bound = counter.was_lower_bound || state == ASSAY_LOWER_BOUND;
  counter.was_lost = counter.was_lost || state >= ASSAY_LOST;
  counter.last_reason = claims_.latest(row).reason;
  if (!claim.is_written) return;
  counter.was_measured = true;
  if (!counter.spec.is_cumulative()) {
    counter.claimed = claim.value;
    return;
  }
  counter.claimed.add(claim.value);
  std::int64_t& of_kind = counter.claimed_by_kind[static_cast<std::size_t>(window.name.kind)];
  of_kind = saturating_add(of_kind, claim.value.integer);
}

void trace_fold::settle_observations(const closed_window& window, std::size_t depth) {
  // A deeper window's observations are gone by now: its end took them.
  auto first = waiting_.end();
  while (first != waiting_.begin() && std::prev(first)->depth >= depth) --first;
  for (auto said = first; said != waiting_.end(); ++said) settle(*said, window, marks_.back());
  waiting_.erase(first, waiting_.end());
}

void trace_fold::settle(const observation& said, const closed_window& window,
                        const defect_mark& begin) {
  counter_evidence& counter = evidence_.counters[said.row];
  const counter_spec& spec = counter.spec;
  const claim_value claim = claims_.since_baseline(said.row, windows_.innermost()->baseline);
  if (!claim.has_value) return;
  reference_evidence& reference = reference_of(counter, said.source, said.relation, false);
  mark_touched(reference, said, spec, begin);
  const number observed = number::of_bits(said.bits, spec.is_real());
  if (said.relation == ASSAY_EQUAL) {
    reference.exact.compare(window.name, claim.value, observed);
    reference.level.take(window.name,
                         number::of_bits(claims_.latest(said.row).bits, spec.is_real()), observed);
  } else if (said.relation == ASSAY_NEAR) {
    time_sample sample;
    sample.claimed = claim.value.as_double();
    sample.low = sample.high = observed.as_double();
    sample.host_span_ns = static_cast<double>(window.host_span_ns);
    reference.near.compare(window.name, sample);
  } else {
    const bool is_upper = said.relation == ASSAY_AT_MOST;
    reference.bound.compare(window.name, claim.value, widened_bound(observed, spec, is_upper),
                            is_upper);
  }
}

// An observation that its maker took from device records is worth no more than those of its window.
void trace_fold::mark_touched(reference_evidence& reference, const observation& said,
                              const counter_spec& spec, const defect_mark& begin) const {
  if (said.source != ASSAY_SOURCE_DEVICE_RECORDS && said.source != ASSAY_SOURCE_EVENTS) return;
  const auto range = said.range < telemetry::range_count ? static_cast<telemetry::range>(said.range)
                                                         : telemetry::range::any;
  // A level was reached by what came in all the windows around this one.
  const defect_mark& since = spec.is_cumulative() ? begin : marks_.front();
  if (slot_defects::of(matcher_.findings(), order_.defects()).has_grown(since.incomplete, range))
    reference.rests_on_gaps = true;
  if (spec.is_timed() && mistimed_ != begin.mistimed) reference.rests_on_wrong_times = true;
}

evidence& trace_fold::finish() {
  evidence_.malformed.windows += windows_.depth();
  matcher_.finish(joined_);
  if (!joined_.empty()) {
    for (operation& op : joined_) absorb_one(op, nullptr);
    order_.check(joined_);
  }
  sentinels_.finish();
  for (std::size_t row = 0; row < judges_.size(); ++row) {
    judges_[row].finish(evidence_, row);
    for (reference_evidence& reference : evidence_.counters[row].references)
      reference.near.finish();
  }
  evidence_.balances = balances_.findings();
  evidence_.formulas = formulas_.findings();
  evidence_.complete = matcher_.findings();
  evidence_.clocks = clock_.findings();
  evidence_.sentinels = sentinels_.findings();
  evidence_.order = order_.defects();
  evidence_.orders_checked = order_.evaluated();
  evidence_.is_order_unknown = order_.is_overwhelmed();
  return evidence_;
}

}  // namespace assay::audit
