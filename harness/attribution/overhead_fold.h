// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a GPU's recorder and its driver did for themselves within each pass.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/attribution/timeline.h"
#include "probes/trace/assay_trace.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// Takes OVERHEAD records of one pass after the other. They are no part of the pass: CUPTI tells
/// them beside the calls and the work, so that what of a residual they cover is a second account
/// of it. Memory: the overheads of one pass.
class overhead_fold {
 public:
  /// Beyond this the pass has no account, and says so.
  static constexpr std::size_t max_spans = std::size_t{1} << 16;

  void begin_pass();
  void take(const assay_record& overhead);
  /// Of the pass that ends, whose records are `pieces`, into the passes of its kind.
  void settle(const std::vector<piece>& pieces, std::int64_t begin_ns, std::int64_t end_ns,
              model::pass_overhead& into) const;
  /// Some record of the trace was one: whoever wrote it tells overheads.
  bool is_told() const { return is_told_; }
  /// Ended before they began: in no account.
  std::uint64_t backward_spans() const { return backward_spans_; }

 private:
  std::vector<assay_record> spans_;  // of the pass that is open
  std::uint64_t backward_spans_ = 0;
  bool is_told_ = false;
  bool is_oversized_ = false;
};

}  // namespace assay::attribution
