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

// A programmatic launch begins when each block of the kernel ahead has begun and let it in, and its
// own blocks wait for that kernel's end before theirs. So along a chain of such launches starts
// never go back, nor do ends, but the third may begin while the first still runs. An event or a
// copy in between has no edge of this kind: it is waited for.
bool stream_order::is_early(const operation& op, const last_work& last) {
  if (op.is_split && op.correlation == last.correlation) return false;
  if (!op.is_programmatic || !last.is_kernel) return op.start_ns < last.end_ns;
  return op.start_ns < last.start_ns || op.end_ns < last.end_ns;
}

void stream_order::check_one(const operation& op) {
  // Unknown times are R18's, and times of another clock are R17's: neither says anything of order.
  if ((op.start_ns == 0 && op.end_ns == 0) || op.is_mistimed) return;
  ++evaluated_;
  const int cell = cell_of(op.op, op.direction, op.slot);
  const bool is_instant = op.op == ASSAY_OP_COPY && op.moved_bytes > 0 && op.end_ns == op.start_ns;
  if (is_instant || op.end_ns < op.start_ns) ++defects_[static_cast<std::size_t>(cell)].instant;
  const bool is_kernel = op.op == ASSAY_OP_LAUNCH;
  auto found = streams_.find(op.stream);
  if (found == streams_.end()) {
    if (streams_.size() == max_streams) {
      is_overwhelmed_ = true;
      return;
    }
    streams_.emplace(op.stream, last_work{op.start_ns, op.end_ns, cell, op.correlation, is_kernel});
    return;
  }
  last_work& last = found->second;
  if (is_early(op, last)) {
    // Either of the two may be the one that moved, so both are in doubt.
    ++defects_[static_cast<std::size_t>(cell)].out_of_order;
    ++defects_[static_cast<std::size_t>(last.cell)].out_of_order;
  }
  last = {op.start_ns, std::max(last.end_ns, op.end_ns), cell, op.correlation, is_kernel};
}

}  // namespace assay::audit
