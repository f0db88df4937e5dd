// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Activities beside the calls that asked for them.
#pragma once

#include <cstdint>
#include <vector>

#include "probes/trace/assay_trace.h"

namespace assay::attribution {

/// An ACTIVITY with times on the host's clock, and its call, where there is one.
struct joined_activity {
  assay_record activity;
  bool has_call = false;
  std::uint16_t range = 0;  ///< the call's, or its own where there is no call
  std::int64_t call_begin_ns = 0;
  std::int64_t call_end_ns = 0;
  bool is_shared_call = false;  ///< the call has several activities: a graph, a split copy
};

/// Holds records until join(). A call whose work has not shown waits for it, max_waiting of them.
class call_join {
 public:
  static constexpr std::size_t max_waiting = 65'536;

  void submission(const assay_record& call) { calls_.push_back(call); }
  void activity(const assay_record& work) { works_.push_back(work); }
  std::size_t held() const { return calls_.size() + works_.size(); }

  /// Replaces `out` by what came since the last time. Several activities may share a call.
  void join(std::vector<joined_activity>& out);

 private:
  std::vector<assay_record> calls_;  // sorted by correlation in join()
  std::vector<assay_record> works_;
  std::vector<bool> is_met_;
};

}  // namespace assay::attribution
