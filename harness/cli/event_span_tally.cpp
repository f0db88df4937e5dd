// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/event_span_tally.h"

#include <algorithm>

#include "harness/cli/record_range.h"
#include "runtime/telemetry/range.h"

namespace assay::cli {

void event_span_sum::take(const assay_record& span) {
  const std::int64_t error_ns = span.extra[1];
  ++spans;
  least_ns += std::max<std::int64_t>(span.extra[0] - error_ns, 0);
  most_ns += span.amount + error_ns;
}

void event_span_sums::take(const assay_record& record) {
  if (record.kind == ASSAY_LOSS && record.direction == ASSAY_SOURCE_HARNESS_EVENTS)
    is_whole = false;
  if (record.kind != ASSAY_EVENT_SPAN) return;
  if (record.range == record_range(telemetry::range::paging))
    (record.op == ASSAY_OP_WAIT ? waits : page_ins).take(record);
  else if (record.range == record_range(telemetry::range::compute))
    steps.take(record);
}

ratio_bounds overlap_of(const event_span_sums& of) {
  const std::int64_t shorter_least_ns =
      std::min(of.page_ins.least_ns, of.steps.least_ns - of.waits.most_ns);
  const std::int64_t shorter_most_ns =
      std::min(of.page_ins.most_ns, of.steps.most_ns - of.waits.least_ns);
  if (shorter_least_ns <= 0) return {};
  const auto hidden = [](std::int64_t copy_ns, std::int64_t waited_ns) {
    return static_cast<double>(std::max<std::int64_t>(copy_ns - waited_ns, 0));
  };
  return {true,
          hidden(of.page_ins.least_ns, of.waits.most_ns) / static_cast<double>(shorter_most_ns),
          hidden(of.page_ins.most_ns, of.waits.least_ns) / static_cast<double>(shorter_least_ns)};
}

}  // namespace assay::cli
