// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How long each pass's calls that allocate or free took.
#pragma once

#include <vector>

#include "harness/attribution/timeline.h"
#include "probes/trace/assay_trace.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// Takes MEMORY records of one pass after the other. They are no part of the pass: what of its
/// residual they cover stands beside it. Memory: 24 bytes a call of one pass.
class memory_fold {
 public:
  /// Beyond this calls of a pass count as calls without a length.
  static constexpr std::size_t max_spans = std::size_t{1} << 16;

  void begin_pass() { spans_.clear(); }
  void take(const assay_record& memory, model::pass_memory& into);
  /// Of the pass that ends, whose records are `pieces`, into the passes of its kind.
  void settle(const std::vector<piece>& pieces, std::int64_t begin_ns, std::int64_t end_ns,
              model::pass_memory& into) const;

 private:
  std::vector<piece> spans_;  // of the pass that is open
};

}  // namespace assay::attribution
