// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Writes the trace of a run: windows with the harness's own stamps, the device's records, the
// counters' state at each window's end, and what other sources say.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/cli/activity_tally.h"
#include "harness/cli/track.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/catalog.h"

namespace assay::cli {

/// What another source says of a counter over the window that is open.
struct reference_value {
  telemetry::counter_id counter;
  assay_source source;
  assay_relation relation;
  std::int64_t bits;  ///< int64, or the bits of a double for rates and ratios
  /// Of a reference made from device records: theirs. What goes missing elsewhere leaves it whole.
  telemetry::range rests_on = telemetry::range::any;
};

/// The harness's stamps of a window. Clock: host.
struct window_span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

/// As a sink it takes what probes write outside of windows and passes it to every track.
/// Ownership: what the source reads and the tracks are not owned.
/// Threads: one. Errors: those of the tracks' sinks.
class recorder final : public trace::sink {
 public:
  /// Moves what the device reported since the last time to a sink.
  using record_source = std::function<result<void>(trace::sink&)>;

  recorder(record_source source, std::span<const track> tracks);

  /// Opens a window inside the one that is open. The stamp is the last thing done.
  result<void> begin_window(assay_window kind, std::uint64_t index);
  /// Stamps the innermost window's begin anew: what the harness did since is none of its time.
  void mark_begin();
  /// Stamps its end; what stop() or end_window() would stamp later is this.
  void mark_end();
  /// Stamps first, then drains, takes the counters and closes the innermost window.
  result<window_span> end_window();
  /// The same in two steps, for references that must lie inside the window: stop() stamps and
  /// drains, observe() adds, end_window() keeps stop()'s stamp.
  result<void> stop();
  result<void> observe(std::span<const reference_value> values);
  /// The innermost window's stamps, after stop().
  window_span stopped_span() const { return open_.back().span; }
  /// Moves what the device reported since the last time into the trace.
  result<void> drain();

  /// Records that were written so far, and of them those within a decode step, by the step.
  std::uint64_t record_count() const { return record_count_; }
  double records_a_step() const {
    return steps_ == 0 ? 0.0 : static_cast<double>(step_records_) / static_cast<double>(steps_);
  }

  /// Sums since the last clear of each.
  activity_tally& window_tally() { return window_tally_; }
  activity_tally& request_tally() { return request_tally_; }

  result<void> contract(std::string_view json) override;
  result<void> facts(std::string_view json) override;
  result<void> records(std::span<const assay_record> records) override;
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override;
  result<void> end() override;

 private:
  struct open_window {
    assay_window kind;
    std::uint64_t index;
    window_span span;
  };
  struct lane {
    track to;
    trace::snapshot_writer snapshots;
    std::vector<assay_record> scratch;
  };
  result<void> snapshot_all(std::int64_t at_ns);

  record_source source_;
  std::vector<lane> lanes_;
  std::vector<open_window> open_;
  activity_tally window_tally_;
  activity_tally request_tally_;
  std::uint64_t record_count_ = 0;
  std::uint64_t step_records_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace assay::cli
