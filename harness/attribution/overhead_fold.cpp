// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/overhead_fold.h"

#include <algorithm>

#include "probes/trace/bounded.h"

namespace assay::attribution {
namespace {

using trace::difference;
using trace::sum;

// Of the caller's own thread: what another thread does meanwhile takes nothing of the pass's path.
std::vector<piece> callers(const std::vector<assay_record>& spans) {
  std::vector<piece> out;
  for (const assay_record& each : spans)
    if (each.tid != 0) out.push_back({each.start_ns, each.end_ns, model::time_part::submit, 0});
  return out;
}

std::int64_t clipped_ns(const assay_record& span, std::int64_t begin_ns, std::int64_t end_ns) {
  return std::max<std::int64_t>(
      0, difference(std::min(span.end_ns, end_ns), std::max(span.start_ns, begin_ns)));
}

}  // namespace

void overhead_fold::begin_pass() {
  spans_.clear();
  is_oversized_ = false;
}

void overhead_fold::take(const assay_record& overhead) {
  is_told_ = true;
  if (overhead.end_ns < overhead.start_ns)
    ++backward_spans_;
  else if (spans_.size() < max_spans)
    spans_.push_back(overhead);
  else
    is_oversized_ = true;
}

void overhead_fold::settle(const std::vector<piece>& pieces, std::int64_t begin_ns,
                           std::int64_t end_ns, model::pass_overhead& into) const {
  if (is_oversized_) return;
  ++into.passes;
  if (spans_.empty()) return;
  const std::int64_t wall_ns = difference(end_ns, begin_ns);
  const std::vector<piece> own = callers(spans_);
  into.caller_ns = sum(into.caller_ns, wall_ns - uncovered_ns(own, begin_ns, end_ns));
  std::vector<piece> both = pieces;
  both.insert(both.end(), own.begin(), own.end());
  into.residual_ns = sum(into.residual_ns, uncovered_ns(pieces, begin_ns, end_ns) -
                                               uncovered_ns(both, begin_ns, end_ns));
  for (const assay_record& each : spans_) {
    const std::int64_t within_ns = clipped_ns(each, begin_ns, end_ns);
    if (within_ns == 0 && each.start_ns != each.end_ns) continue;
    const std::size_t what = each.op < model::overhead_count ? each.op : 0;
    model::overhead_line& line = (each.tid != 0 ? into.of_caller : into.of_others).at(what);
    ++line.spans;
    line.busy_ns = sum(line.busy_ns, within_ns);
  }
}

}  // namespace assay::attribution
