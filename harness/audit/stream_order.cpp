// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/stream_order.h"

#include <algorithm>

namespace assay::audit {

void stream_order::check(std::vector<operation>& operations) {
  const auto before = [](const operation& a, const operation& b) {
    if (a.stream != b.stream) return a.stream < b.stream;
    return a.correlation != b.correlation ? a.correlation < b.correlation : a.start_ns < b.start_ns;
  };
  if (!std::is_sorted(operations.begin(), operations.end(), before))
    std::stable_sort(operations.begin(), operations.end(), before);
  for (const operation& op : operations) check_one(op);
}

void stream_order::check_one(const operation& op) {
  // Unknown times are R18's, and times of another clock are R17's: neither says anything of order.
  if ((op.start_ns == 0 && op.end_ns == 0) || op.is_mistimed) return;
  ++evaluated_;
  const int cell = cell_of(op.op, op.direction, op.slot);
  const bool is_instant = op.op == ASSAY_OP_COPY && op.moved_bytes > 0 && op.end_ns == op.start_ns;
  if (is_instant || op.end_ns < op.start_ns) ++defects_[static_cast<std::size_t>(cell)].instant;
  auto found = streams_.find(op.stream);
  if (found == streams_.end()) {
    if (streams_.size() == max_streams) {
      is_overwhelmed_ = true;
      return;
    }
    streams_.emplace(op.stream, last_work{op.end_ns, cell, op.correlation});
    return;
  }
  last_work& last = found->second;
  const bool is_same_launch = op.is_split && op.correlation == last.correlation;
  if (op.start_ns < last.end_ns && !is_same_launch) {
    // Either of the two may be the one that moved, so both are in doubt.
    ++defects_[static_cast<std::size_t>(cell)].out_of_order;
    ++defects_[static_cast<std::size_t>(last.cell)].out_of_order;
  }
  last = {std::max(last.end_ns, op.end_ns), cell, op.correlation};
}

}  // namespace assay::audit
