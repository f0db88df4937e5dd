// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Gate G1 on the records of a stream: work runs in the order of its submission, one piece after the
// other, with events between.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/audit/activity_cell.h"
#include "harness/audit/operation.h"

namespace assay::audit {

/// How often records of a cell broke the order of their stream, or took no time for their bytes.
struct order_defects {
  /// Began before what was submitted earlier had ended; where it may, before that had begun, or
  /// ended before it.
  std::uint64_t out_of_order = 0;
  std::uint64_t instant = 0;  ///< moved bytes in no time, or ended before the start
};

/// Kernels of one launch may overlap: in a graph one begins before its predecessor has ended, and
/// branches of it end in any order. So may a programmatic launch and the kernel right before it,
/// but it neither begins nor ends ahead of that. Sees every joined operation. Memory: one entry a
/// stream, at most max_streams.
class stream_order {
 public:
  /// More than any device has; a trace that names more is broken or crafted, and goes unchecked.
  static constexpr std::size_t max_streams = 4096;

  /// Sorts `operations` by stream, correlation and start where they are not, and checks them.
  void check(std::vector<operation>& operations);

  std::uint64_t evaluated() const { return evaluated_; }
  const std::array<order_defects, cell_total>& defects() const { return defects_; }
  bool is_overwhelmed() const { return is_overwhelmed_; }

 private:
  struct last_work {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;  ///< of all so far the latest
    int cell = 0;
    std::uint64_t correlation = 0;
    bool is_kernel = false;
  };
  static bool is_early(const operation& op, const last_work& last);
  void check_one(const operation& op);

  std::unordered_map<std::uint32_t, last_work> streams_;
  std::array<order_defects, cell_total> defects_{};
  std::uint64_t evaluated_ = 0;
  bool is_overwhelmed_ = false;
};

}  // namespace assay::audit
