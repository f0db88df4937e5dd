// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What events of the harness's own say of page-ins, of the waits for them, and of the steps around
// both.
#pragma once

#include <cstdint>

#include "probes/trace/assay_trace.h"

namespace assay::cli {

/// Sums of one kind of span: a sum of the program's own pairs lies between the two.
struct event_span_sum {
  std::int64_t spans = 0;
  std::int64_t least_ns = 0;
  std::int64_t most_ns = 0;

  void take(const assay_record& span);
};

struct event_span_sums {
  event_span_sum page_ins;
  event_span_sum waits;
  event_span_sum steps;
  bool is_whole = true;  ///< no span was lost

  /// Records of other kinds change nothing.
  void take(const assay_record& record);
};

/// A quotient's two sides. Where the denominator may be 0 there is none.
struct ratio_bounds {
  bool is_known = false;
  double least = 0.0;
  double most = 0.0;
};

/// (copy + compute - step) / min(copy, compute), where compute is the step less its waits, with
/// each part as small and as large as the events allow. Below 0 reads 0.
ratio_bounds overlap_of(const event_span_sums& of);

}  // namespace assay::cli
