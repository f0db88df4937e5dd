// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One counter against the device records, window by window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/audit/claim_book.h"
#include "harness/audit/evidence.h"
#include "harness/audit/span_fold.h"
#include "harness/audit/window_work.h"

namespace assay::audit {

/// A window that has ended.
struct closed_window {
  window_name name;
  std::int64_t host_span_ns = 0;  ///< 0 outside every window
  std::int64_t end_ns = 0;
  std::span<const operation> waits;     ///< its calls that waited for a stream
  const event_spans* events = nullptr;  ///< the harness's own; null outside every window
};

/// Compares what a counter claims with what its claim sums to, and keeps the tallies in its
/// evidence.
class counter_judge {
 public:
  explicit counter_judge(const counter_spec& spec);

  /// Sees the operations of the window, sorted by stream and correlation.
  void take(std::span<const operation> operations) {
    if (span_) span_->take(operations);
  }
  /// The window ends. `previous_bits` is what the counter read before it.
  void close(const closed_window& window, const claim_value& claim, std::int64_t previous_bits,
             const window_work& work, evidence& into, std::size_t row);
  /// The trace ends: rates are compared over all of it.
  void finish(evidence& into, std::size_t row);

 private:
  void judge_sum(const closed_window& window, const claim_value& claim, std::int64_t observed,
                 std::int64_t previous_bits, counter_evidence& counter);
  void judge_span(const closed_window& window, const claim_value& claim, evidence& into,
                  counter_evidence& counter);
  static void judge_event_span(const closed_window& window, const claim_value& claim,
                               counter_evidence& counter);
  static void mark_mistimed(counter_evidence& counter);
  void check_triangle(const closed_window& window, const span_sample& sample,
                      const counter_evidence& counter, evidence& into);

  std::vector<int> cells_;
  std::optional<span_fold> span_;
  double rate_bytes_ = 0.0;
  double rate_least_bracket_ns_ = 0.0;
  double rate_most_bracket_ns_ = 0.0;
  double rate_enclosing_ns_ = 0.0;
  std::uint64_t rate_brackets_ = 0;
};

/// The tally of a source and relation, made where it is not there yet.
reference_evidence& reference_of(counter_evidence& counter, int source, int relation,
                                 bool is_derived);

}  // namespace assay::audit
