// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the device's records of one pass say of page-ins beside the work that they are for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "probes/trace/assay_trace.h"

namespace assay::cli {

/// Times that events keep lie between two figures: the records enclose the moments. Clock: the
/// records' own.
struct overlap_times {
  std::int64_t copy_ns = 0;       ///< in which a page-in ran
  std::int64_t copy_most_ns = 0;  ///< between the events around each run of page-ins
  std::int64_t work_ns = 0;       ///< in which kernels, or copies into pages, ran
  std::int64_t both_ns = 0;       ///< in which both did
  std::int64_t stall_least_ns = 0;
  std::int64_t stall_most_ns = 0;
  std::int64_t gaps_ns = 0;  ///< in which the compute stream neither worked nor waited for a copy

  overlap_times& operator+=(const overlap_times& other);
};

/// Records of one pass. The runtime puts two events around a wait, right before the kernel that
/// waited: of the events ahead of a kernel, the last two. Threads: one.
class overlap_tally {
 public:
  void take(const assay_record& record);
  overlap_times times() const;

 private:
  struct interval {
    std::int64_t start_ns;
    std::int64_t end_ns;
    bool is_event;
    bool is_kernel;
    std::uint32_t stream;
  };
  static void part_kernels(std::vector<interval>& sorted);
  static std::int64_t earliest_of(const interval& event, std::int64_t ahead_end_ns);
  static void add_runs(std::vector<interval> of, overlap_times& to);
  static void add_waits(const std::vector<interval>& of, overlap_times& to);

  std::vector<interval> paging_;   ///< page-ins, and events around them and around waits for them
  std::vector<interval> compute_;  ///< kernels, copies into pages, and events among them
};

}  // namespace assay::cli
