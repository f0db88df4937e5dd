// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Everything that the rules look at: a trace, folded. No rule sees a record.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/audit/balance_fold.h"
#include "harness/audit/ceilings.h"
#include "harness/audit/clock_fold.h"
#include "harness/audit/comparison.h"
#include "harness/audit/completeness.h"
#include "harness/audit/counter_spec.h"
#include "harness/audit/event_spans.h"
#include "harness/audit/formula_fold.h"
#include "harness/audit/level_tally.h"
#include "harness/audit/memory_fold.h"
#include "harness/audit/sentinel_fold.h"
#include "harness/audit/stream_order.h"
#include "harness/audit/time_comparison.h"
#include "harness/audit/value_range.h"
#include "harness/audit/window_work.h"
#include "probes/trace/run_facts.h"
#include "runtime/telemetry/reading.h"

namespace assay::audit {

inline constexpr int source_total = ASSAY_SOURCE_NVML + 1;

/// What one source says of one counter. One of the three tallies is in use, by the relation.
struct reference_evidence {
  int source = 0;
  int relation = 0;
  bool is_derived = false;  ///< made by the audit from records; else an OBSERVATION said it
  exact_tally exact;
  level_tally level;  ///< beside `exact`
  bound_tally bound;
  time_comparison near;
  /// Its maker took it from device records, and those of its windows have gaps or wrong times.
  bool rests_on_gaps = false;
  bool rests_on_wrong_times = false;
  std::string void_reason;  ///< set by the gates: what it rests on failed

  std::uint64_t compared() const;
  bool is_void() const { return !void_reason.empty(); }
  /// Compared and not contradicted. An outcome that noise makes unclear does not hold.
  bool holds() const;
  /// A time so short that what its brackets may be off by is no small part of it: that it holds
  /// says nothing.
  bool is_below_slack() const;
};

/// Readings that can be no measurement of their quantity.
struct range_evidence {
  std::uint64_t checked = 0;
  std::uint64_t outside = 0;
  range_fault first_fault = range_fault::none;
  mismatch first;
};

/// Work that a duration claims beside the calls that submitted it, over windows of one kind.
struct submitted_work {
  std::uint64_t windows = 0;
  double claimed_ns = 0.0;  ///< what the counter said in those
  double busy_ns = 0.0;     ///< union of the work's intervals
  double call_ns = 0.0;     ///< calls that submitted the work
  double enqueue_ns = 0.0;  ///< first such call's entry to the last one's return
};

/// Waits for a stream between the calls that submitted a counter's work.
struct wait_evidence {
  std::uint64_t within = 0;
  std::uint64_t windows = 0;
  window_name first;
};

/// One counter: what it claimed, and what everybody else says.
struct counter_evidence {
  counter_spec spec;

  telemetry::reading_state last_state = telemetry::reading_state::never_written;
  std::uint32_t last_reason = 0;  ///< index into the facts' reasons, from 1
  std::string absence_reason;     ///< that reason in words
  bool has_reading = false;       ///< at least one snapshot was compared
  bool was_measured = false;      ///< it held a number in at least one of them
  bool was_lower_bound = false;   ///< some of it was lost, by its own account
  bool was_lost = false;

  number claimed;  ///< over every compared window; the last level for gauges, peaks and rates
  std::array<std::int64_t, window_kinds> claimed_by_kind{};  ///< of cumulative counters

  range_evidence range;
  std::string
      imbalance;  ///< an equation that it is part of does not hold, and who is wrong is open

  std::uint64_t steps_checked = 0;  ///< changes looked at for R16
  std::uint64_t steps_back = 0;
  mismatch first_step_back;

  std::uint64_t span_windows = 0;  ///< windows with claimed device work; for a claim of a span
  double claimed_ns = 0.0;         ///< what the counter said in those
  double busy_ns = 0.0;            ///< union of the work's intervals
  double span_ns = 0.0;
  double bracket_ns = 0.0;  ///< between the events around the work
  std::uint64_t bracket_windows = 0;
  double sum_ns = 0.0;  ///< of the intervals one by one, however they overlap
  std::array<submitted_work, window_kinds> submitted{};

  wait_evidence waits;

  std::vector<reference_evidence> references;
  bool has_one_observer = false;  ///< events come from the device that reports the records
};

/// Records of one cell whose times do not fit the host's.
struct clock_defects {
  std::uint64_t early = 0;    ///< began before the call that asked for it
  std::uint64_t outside = 0;  ///< not within the window that it belongs to
  std::int64_t worst_ns = 0;
};

/// Totals of one cell over the trace.
struct cell_totals {
  std::uint64_t records = 0;
  std::int64_t bytes = 0;
  std::int64_t pageable_bytes = 0;  ///< of these, to or from host memory that is not pinned
  std::int64_t device_ns = 0;
};

/// The windows of one kind, and what the device did in them outside of windows within.
struct kind_totals {
  std::uint64_t windows = 0;
  std::int64_t host_span_ns = 0;
  std::array<cell_work, cell_total> work{};
};

/// Passes (prefills, decode steps) in which neither a call nor a record came.
struct mute_tally {
  std::uint64_t passes = 0;
  std::uint64_t spoke = 0;      ///< passes with a call or a record
  std::uint64_t last_mute = 0;  ///< those without, since the last with one
  window_name first_mute;       ///< of these
};

/// What could not be read as it stood. Nothing of it stops the audit; all of it is said.
struct malformed_tally {
  std::uint64_t records = 0;       ///< of no known kind, operation, direction or window
  std::uint64_t windows = 0;       ///< ended without a begin, never ended, too deep, or backwards
  std::uint64_t observations = 0;  ///< of no row, source or relation, or outside a window
  std::uint64_t snapshots = 0;     ///< with another number of readings than the contract has
  std::uint64_t unsnapped_windows = 0;  ///< ended without a snapshot: nothing to compare

  std::uint64_t total() const {
    return records + windows + observations + snapshots + unsnapped_windows;
  }
};

struct evidence {
  std::vector<counter_evidence> counters;

  completeness complete;
  std::array<clock_defects, cell_total> clock{};
  std::uint64_t times_checked = 0;
  clock_evidence clocks;
  std::array<order_defects, cell_total> order{};
  std::uint64_t orders_checked = 0;
  bool is_order_unknown = false;
  std::uint64_t triangles_checked = 0;  ///< spans compared with their event brackets and links
  std::array<std::uint64_t, cell_total> impossible{};  ///< windows whose bytes no link carries
  std::array<event_span_defects, range_slots> event_spans{};
  std::uint64_t event_spans_checked = 0;
  std::string records_absence;  ///< why nobody recorded the device's work; empty where somebody did
  sentinel_evidence sentinels;
  std::array<std::int64_t, source_total> losses{};  ///< records lost, by source
  std::uint64_t loss_reports = 0;
  memory_fold memory;
  ceiling_book ceilings;
  std::array<cell_totals, cell_total> totals{};
  std::array<kind_totals, window_kinds> by_kind{};
  std::vector<balance_evidence> balances;
  std::vector<formula_evidence> formulas;
  mute_tally mute;
  std::vector<trace::named_number> clock_rates;  ///< by the facts, ticks a second
  std::vector<trace::named_number> bases;        ///< by the facts

  std::uint64_t record_count = 0;
  std::uint64_t window_count = 0;
  std::uint64_t snapshot_count = 0;
  malformed_tally malformed;
};

}  // namespace assay::audit
