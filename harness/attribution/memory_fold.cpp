// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/memory_fold.h"

#include "probes/trace/bounded.h"

namespace assay::attribution {

using trace::difference;
using trace::sum;

void memory_fold::take(const assay_record& memory, model::pass_memory& into) {
  const std::int64_t length_ns = memory.extra[0];
  if (length_ns <= 0 || spans_.size() == max_spans) {
    ++into.untimed_calls;
    return;
  }
  ++into.calls;
  spans_.push_back(
      {difference(memory.start_ns, length_ns), memory.start_ns, model::time_part::submit, 0});
}

void memory_fold::settle(const std::vector<piece>& pieces, std::int64_t begin_ns,
                         std::int64_t end_ns, model::pass_memory& into) const {
  if (spans_.empty()) return;
  const std::int64_t wall_ns = difference(end_ns, begin_ns);
  into.call_ns = sum(into.call_ns, wall_ns - uncovered_ns(spans_, begin_ns, end_ns));
  std::vector<piece> both = pieces;
  both.insert(both.end(), spans_.begin(), spans_.end());
  into.residual_ns = sum(into.residual_ns, uncovered_ns(pieces, begin_ns, end_ns) -
                                               uncovered_ns(both, begin_ns, end_ns));
}

}  // namespace assay::attribution
