// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Times against times. Bytes are compared exactly; a time is compared over many windows, because a
// shared machine stretches single ones.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/audit/counter_spec.h"
#include "harness/audit/number.h"
#include "harness/audit/window_tracker.h"

namespace assay::audit {

/// Slack of one bracket: two clock reads, two hand-overs between threads and the tick of the device
/// clock lie between two references of the same span.
inline constexpr double bracket_slack_ns = 2000.0;
/// Slack in proportion: the smallest lie that this audit promises to see.
inline constexpr double relative_slack = 0.02;
/// A window whose host span exceeds this multiple of its kind's median was disturbed from outside.
inline constexpr double disturbance_ratio = 1.25;
/// With fewer windows of a kind a median says nothing about disturbance.
inline constexpr std::size_t median_min_windows = 16;
/// At most this share of a block is left out, the most stretched first. Where more were disturbed,
/// what is left may still confirm a counter, but convicts none.
inline constexpr double excluded_max_ratio = 0.25;
/// Of undisturbed windows this share, and at least one of four, may differ by an interruption that
/// fell between two parties' reads of one moment and that no span shows.
inline constexpr double interrupted_max_ratio = 0.02;
inline constexpr std::size_t interrupted_min_windows = 4;

/// A bound on a time or a rate is a reference's own reading of a clock: it may be off by what any
/// bracket may. Bounds on amounts are exact and come back as they are.
number widened_bound(const number& bound, const counter_spec& spec, bool is_upper);

/// Slack that is a larger part than this of what was observed leaves nothing to confirm.
inline constexpr double slack_max_ratio = 0.25;

/// One window's figures. The reference is an interval: low to high, equal where it is a point.
struct time_sample {
  double claimed = 0.0;
  double low = 0.0;
  double high = 0.0;
  double host_span_ns = 0.0;  ///< of the window, by the harness; 0 unknown
};

enum class time_outcome : std::uint8_t {
  empty,    ///< nothing compared
  holds,    ///< within the tolerance
  broken,   ///< outside it, on windows that no witness calls disturbed
  unclear,  ///< outside it, with too many windows disturbed to tell
};

/// Sums over some windows of one kind.
struct time_sums {
  std::uint64_t windows = 0;
  double claimed = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// What the windows of one kind say together.
struct time_group {
  time_sums all;
  time_sums kept;               ///< without the disturbed ones that may be left out
  time_sums interrupted;        ///< of those, the few that differ most, by no more than a slice
  std::uint64_t stretched = 0;  ///< disturbed, left out or not
  double median_claimed = 0.0;  ///< of the first windows, for the message
  double median_observed = 0.0;

  time_outcome outcome(double slack_per_window) const;
};

/// Folds windows in blocks: the median that tells a disturbed window is that of its neighbours, so
/// a step that grows slowly with its context is not called disturbed. Memory: a block a window
/// kind.
class time_comparison {
 public:
  static constexpr std::size_t block_windows = 128;

  /// `slack_per_window`: bracket_slack_ns for ns, 0 for rates.
  explicit time_comparison(double slack_per_window = bracket_slack_ns)
      : slack_per_window_(slack_per_window) {}

  void compare(const window_name& where, const time_sample& sample);
  /// Ends the trace.
  void finish();

  const std::array<time_group, window_kinds>& groups() const { return groups_; }
  std::uint64_t compared() const;
  std::uint64_t excluded() const;   ///< left out
  std::uint64_t stretched() const;  ///< disturbed, left out or not
  double claimed() const;
  double low() const;
  double high() const;
  /// Broken if one kind is, else unclear if one is, else holds if one was compared.
  time_outcome outcome() const;
  /// The kind that decided outcome().
  int deciding_kind() const;
  double slack_per_window() const { return slack_per_window_; }

  /// Windows with work in a row without any claimed time; the longest run, and its observed time.
  std::uint64_t active_windows() const { return active_; }
  std::uint64_t zero_run_windows() const { return worst_run_.windows; }
  double zero_run_observed() const { return worst_run_.low; }
  window_name first_zero() const { return worst_run_begin_; }

 private:
  struct block {
    std::vector<time_sample> samples;
    double last_median_ns = 0.0;
    bool has_medians = false;
  };
  void fold(int kind);
  void track_zeros(const window_name& where, const time_sample& sample);

  double slack_per_window_;
  std::array<block, window_kinds> blocks_;
  std::array<time_group, window_kinds> groups_{};
  std::uint64_t active_ = 0;
  time_sums run_;
  window_name run_begin_;
  time_sums worst_run_;
  window_name worst_run_begin_;
};

}  // namespace assay::audit
