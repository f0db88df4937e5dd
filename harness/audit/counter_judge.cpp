// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/counter_judge.h"

#include <algorithm>
#include <cmath>

namespace assay::audit {
namespace {

using telemetry::activity;
using telemetry::measure;

bool needs_span(const counter_spec& spec) {
  return spec.claims.measure == measure::span || spec.claims.measure == measure::brackets ||
         (spec.kind == telemetry::counter_kind::rate && spec.claims.measure == measure::bytes);
}

// Without events there is nothing to enclose: the work's span is what the counter must show.
std::int64_t longest_ns(const span_sample& sample) {
  return sample.has_bracket ? sample.enclosing_ns : sample.span_ns();
}

}  // namespace

reference_evidence& reference_of(counter_evidence& counter, int source, int relation,
                                 bool is_derived) {
  for (reference_evidence& known : counter.references)
    if (known.source == source && known.relation == relation && known.is_derived == is_derived)
      return known;
  reference_evidence& made = counter.references.emplace_back();
  made.source = source;
  made.relation = relation;
  made.is_derived = is_derived;
  const bool is_time = counter.spec.unit == unit::ns;
  made.near = time_comparison(is_time ? bracket_slack_ns : 0.0);
  if (counter.spec.is_timed())
    made.bound.leniency = is_time ? bound_leniency::time : bound_leniency::rate;
  return made;
}

counter_judge::counter_judge(const counter_spec& spec) : cells_(cells_of(spec.claims)) {
  if (needs_span(spec)) span_.emplace(cells_);
}

void counter_judge::close(const closed_window& window, const claim_value& claim,
                          std::int64_t previous_bits, const window_work& work, evidence& into,
                          std::size_t row) {
  counter_evidence& counter = into.counters[row];
  const counter_spec& spec = counter.spec;
  if (claim.is_written && !spec.is_real()) {
    ++counter.steps_checked;
    const bool has_fallen =
        spec.kind == telemetry::counter_kind::peak && claim.value.integer < previous_bits;
    if (claim.value.integer < 0 || has_fallen) {
      ++counter.steps_back;
      if (!counter.first_step_back.is_known)
        counter.first_step_back = {true, window.name, claim.value, number::of(previous_bits)};
    }
  }
  if (span_) {
    judge_span(window, claim, into, counter);
  } else if (spec.claims.kind == activity::memory) {
    const memory_tally& memory = into.memory.of(spec.claims.range);
    const std::int64_t observed = spec.claims.measure == measure::live_bytes    ? memory.live_bytes
                                  : spec.claims.measure == measure::peak_bytes  ? memory.peak_bytes
                                  : spec.claims.measure == measure::allocations ? memory.allocations
                                                                                : memory.frees;
    judge_sum(window, claim, observed, previous_bits, counter);
  } else if (!into.records_absence.empty()) {
    return;  // nobody looked: nothing seen is no observation of nothing
  } else if (spec.claims.kind == activity::submission) {
    judge_sum(window, claim, work.sum_calls(spec.claims.measure, spec.claims.range), previous_bits,
              counter);
  } else if (spec.has_claim()) {
    judge_sum(window, claim, work.sum(spec.claims.measure, cells_), previous_bits, counter);
  }
}

void counter_judge::judge_sum(const closed_window& window, const claim_value& claim,
                              std::int64_t observed, std::int64_t previous_bits,
                              counter_evidence& counter) {
  if (!claim.has_value) return;
  // The request's own share, between its steps, is empty; it would only swell the count.
  const bool is_container = window.name.kind == ASSAY_WINDOW_REQUEST || window.name.kind == 0;
  if (is_container && counter.spec.is_cumulative() && observed == 0 && claim.value.is_zero())
    return;
  const number reference = counter.spec.is_real() ? number::of_real(static_cast<double>(observed))
                                                  : number::of(observed);
  reference_evidence& said = reference_of(counter, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL, true);
  said.exact.compare(window.name, claim.value, reference);
  number reading = claim.value;
  if (counter.spec.is_cumulative()) reading.add(number::of(previous_bits));
  said.level.take(window.name, reading, reference);
}

void counter_judge::judge_span(const closed_window& window, const claim_value& claim,
                               evidence& into, counter_evidence& counter) {
  const span_sample sample = span_->close(window.end_ns, window.waits);
  judge_event_span(window, claim, counter);
  if (!into.records_absence.empty()) return;
  if (sample.is_mistimed) return mark_mistimed(counter);
  if (sample.has_work) check_triangle(window, sample, counter, into);
  if (counter.spec.kind == telemetry::counter_kind::rate) {
    if (!sample.has_work) return;
    counter.span_ns += static_cast<double>(sample.span_ns());
    ++counter.span_windows;
    rate_bytes_ += static_cast<double>(sample.bytes);
    rate_enclosing_ns_ += static_cast<double>(longest_ns(sample));
    if (sample.has_bracket) {
      rate_least_bracket_ns_ += static_cast<double>(sample.least_bracket_ns);
      rate_most_bracket_ns_ += static_cast<double>(sample.most_bracket_ns);
      ++rate_brackets_;
    }
    return;
  }
  if (!claim.has_value || (!sample.has_work && claim.value.is_zero())) return;
  time_sample near;
  near.claimed = claim.value.as_double();
  near.host_span_ns = static_cast<double>(window.host_span_ns);
  const bool is_of_runs = counter.spec.claims.measure == measure::brackets;
  if (sample.has_work) {
    near.low = static_cast<double>(is_of_runs ? sample.busy_ns : sample.span_ns());
    near.high = static_cast<double>(is_of_runs ? std::max(sample.most_runs_ns, sample.busy_ns)
                                               : longest_ns(sample));
    ++counter.span_windows;
    counter.claimed_ns += near.claimed;
    counter.span_ns += near.low;
    if (sample.has_bracket) {
      counter.bracket_ns += static_cast<double>(sample.bracket_ns);
      ++counter.bracket_windows;
    }
    counter.sum_ns += static_cast<double>(sample.sum_ns);
    counter.busy_ns += static_cast<double>(sample.busy_ns);
    submitted_work& submitted = counter.submitted[static_cast<std::size_t>(window.name.kind)];
    ++submitted.windows;
    submitted.claimed_ns += near.claimed;
    submitted.busy_ns += static_cast<double>(sample.busy_ns);
    submitted.call_ns += static_cast<double>(sample.call_ns);
    submitted.enqueue_ns += static_cast<double>(sample.enqueue_ns);
    if (sample.waits_within > 0 && counter.waits.windows++ == 0) counter.waits.first = window.name;
    counter.waits.within += sample.waits_within;
  }
  reference_of(counter, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_NEAR, true)
      .near.compare(window.name, near);
  if (!sample.has_bracket || counter.spec.clock != clock_domain::device_event) return;
  near.low = static_cast<double>(is_of_runs ? sample.least_runs_ns : sample.least_bracket_ns);
  near.high = static_cast<double>(is_of_runs ? sample.most_runs_ns : sample.most_bracket_ns);
  reference_of(counter, ASSAY_SOURCE_EVENTS, ASSAY_NEAR, true).near.compare(window.name, near);
}

// The counter's bracket lies within the events around all of its range's calls, and around those
// next to the work: by the order of the stream, whatever the clocks say.
void counter_judge::judge_event_span(const closed_window& window, const claim_value& claim,
                                     counter_evidence& counter) {
  if (window.events == nullptr || !claim.has_value) return;
  if (counter.spec.kind == telemetry::counter_kind::rate ||
      counter.spec.clock != clock_domain::device_event)
    return;
  const event_span& seen = window.events->of(counter.spec.claims);
  if (seen.pairs == 0) return;
  time_sample near;
  near.claimed = claim.value.as_double();
  near.host_span_ns = static_cast<double>(window.host_span_ns);
  near.low = std::max(static_cast<double>(seen.least_ns - seen.error_ns), 0.0);
  near.high = static_cast<double>(seen.most_ns + seen.error_ns);
  reference_of(counter, ASSAY_SOURCE_HARNESS_EVENTS, ASSAY_NEAR, true)
      .near.compare(window.name, near);
}

// R17 voids what rests on these; without R17 the windows are merely missing.
void counter_judge::mark_mistimed(counter_evidence& counter) {
  for (const int source : {ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_SOURCE_EVENTS})
    reference_of(counter, source, ASSAY_NEAR, true).rests_on_wrong_times = true;
}

void counter_judge::check_triangle(const closed_window& window, const span_sample& sample,
                                   const counter_evidence& counter, evidence& into) {
  ++into.triangles_checked;
  const double hard = into.ceilings.of(counter.spec.pairs_with.link).hard_bytes_per_s;
  const bool is_carried =
      hard == 0.0 || static_cast<double>(sample.bytes) * 1e9 <=
                         hard * static_cast<double>(std::max<std::int64_t>(sample.busy_ns, 1));
  const bool is_enclosed = !sample.has_bracket || sample.busy_ns <= sample.most_bracket_ns;
  const event_span own =
      window.events == nullptr ? event_span{} : window.events->of(counter.spec.claims);
  const bool is_within_own =
      own.pairs == 0 ||
      static_cast<double>(sample.busy_ns) <= static_cast<double>(own.most_ns) + own.slack_ns();
  if (!is_within_own)
    ++into.event_spans[static_cast<std::size_t>(counter.spec.claims.range)].shorter_than_work;
  if (is_carried && is_enclosed && is_within_own) return;
  for (const int cell : cells_) ++into.impossible[static_cast<std::size_t>(cell)];
}

void counter_judge::finish(evidence& into, std::size_t row) {
  counter_evidence& counter = into.counters[row];
  if (counter.spec.kind != telemetry::counter_kind::rate || counter.span_windows == 0) return;
  if (!counter.was_measured) return;
  const auto compare = [&](int source, double low_ns, double high_ns, std::uint64_t brackets) {
    const double slack_ns = bracket_slack_ns * static_cast<double>(brackets);
    time_sample near;
    near.claimed = counter.claimed.as_double();
    near.low = rate_bytes_ * 1e9 / (high_ns + slack_ns);
    near.high = rate_bytes_ * 1e9 / std::max(low_ns - slack_ns, 1.0);
    reference_of(counter, source, ASSAY_NEAR, true).near.compare({}, near);
  };
  compare(ASSAY_SOURCE_DEVICE_RECORDS, counter.span_ns, rate_enclosing_ns_, counter.span_windows);
  if (rate_brackets_ == counter.span_windows && counter.spec.clock == clock_domain::device_event)
    compare(ASSAY_SOURCE_EVENTS, rate_least_bracket_ns_, rate_most_bracket_ns_, rate_brackets_);
}

}  // namespace assay::audit
