// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the harness's own events say of the window that is open, range by range.
#pragma once

#include <array>
#include <cstdint>

#include "harness/audit/activity_cell.h"
#include "probes/trace/assay_trace.h"

namespace assay::audit {

/// Of one range in one window, summed. An instrument that brackets the range's work on its stream
/// lies between the two times.
struct event_span {
  std::uint64_t pairs = 0;
  std::int64_t least_ns = 0;  ///< between events right around the work
  std::int64_t most_ns = 0;   ///< between events around every call of the range
  std::int64_t error_ns = 0;  ///< that each of the two may be off

  /// What two clocks and a stamp may differ by, beside the error.
  double slack_ns() const;
};

/// Windows in which one of the three sides contradicts another.
struct event_span_defects {
  std::uint64_t shorter_than_work = 0;  ///< than the records of what the events enclose
  std::uint64_t longer_than_host = 0;   ///< than the harness's span around them
};

class event_spans {
 public:
  /// False where the record can be no span.
  bool take(const assay_record& record);
  const event_span& of(int slot) const { return by_slot_[static_cast<std::size_t>(slot)]; }
  /// Of a claim on one range; of other claims an empty one.
  const event_span& of(const trace::claim_row& claim) const;
  /// The window has ended.
  void clear() { by_slot_ = {}; }

 private:
  std::array<event_span, range_slots> by_slot_{};
};

}  // namespace assay::audit
