// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/call_join.h"

#include <algorithm>

namespace assay::attribution {
namespace {

bool is_earlier(const assay_record& a, const assay_record& b) {
  return a.correlation < b.correlation;
}

}  // namespace

void call_join::join(std::vector<joined_activity>& out) {
  out.clear();
  if (!std::is_sorted(calls_.begin(), calls_.end(), is_earlier))
    std::stable_sort(calls_.begin(), calls_.end(), is_earlier);
  is_met_.assign(calls_.size(), false);
  for (const assay_record& work : works_) {
    joined_activity& made = out.emplace_back();
    made.activity = work;
    made.range = work.range;
    const auto call = std::lower_bound(calls_.begin(), calls_.end(), work, is_earlier);
    if (call == calls_.end() || call->correlation != work.correlation) continue;
    made.has_call = true;
    made.range = call->range;
    made.call_begin_ns = call->start_ns;
    made.call_end_ns = call->end_ns;
    made.is_shared_call = (call->flags & ASSAY_SPLIT) != 0;
    is_met_[static_cast<std::size_t>(call - calls_.begin())] = true;
  }
  works_.clear();
  std::vector<assay_record> waiting;
  for (std::size_t at = 0; at < calls_.size() && waiting.size() < max_waiting; ++at)
    if (!is_met_[at] && calls_[at].op <= ASSAY_OP_EVENT) waiting.push_back(calls_[at]);
  calls_.swap(waiting);
}

}  // namespace assay::attribution
