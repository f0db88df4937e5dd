// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/event_spans.h"

#include <algorithm>

#include "harness/audit/saturating.h"
#include "harness/audit/time_comparison.h"

namespace assay::audit {

double event_span::slack_ns() const {
  return std::max(bracket_slack_ns * static_cast<double>(pairs),
                  relative_slack * static_cast<double>(most_ns)) +
         static_cast<double>(error_ns);
}

bool event_spans::take(const assay_record& record) {
  const std::int64_t least_ns = record.extra[0];
  const std::int64_t error_ns = record.extra[1];
  if (record.amount < 0 || least_ns < 0 || error_ns < 0) return false;
  // Two readings of events that lie within each other on one stream.
  if (saturating_sub(least_ns, record.amount) > saturating_add(error_ns, error_ns)) return false;
  // Around waits of the range, and not around its work: whoever wrote the trace drew on it.
  if (record.op == ASSAY_OP_WAIT) return true;
  event_span& span = by_slot_[static_cast<std::size_t>(range_slot(record.range))];
  ++span.pairs;
  span.least_ns = saturating_add(span.least_ns, least_ns);
  span.most_ns = saturating_add(span.most_ns, record.amount);
  span.error_ns = saturating_add(span.error_ns, error_ns);
  return true;
}

const event_span& event_spans::of(const trace::claim_row& claim) const {
  static constexpr event_span none{};
  return claim.range == telemetry::range::any ? none : of(static_cast<int>(claim.range));
}

}  // namespace assay::audit
