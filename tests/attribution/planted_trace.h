// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Traces of which every nanosecond is planted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/trace/assay_trace.h"
#include "reports/model/investigation.h"

namespace assay::attribution_test {

/// Writes records of one caller in virtual time. A call takes call_ns; its work is told by hand.
class planted_trace {
 public:
  static constexpr std::int64_t call_ns = 100;

  std::vector<assay_record> records;
  std::int64_t now_ns = 1'000'000;
  std::int64_t device_offset_ns = 0;  ///< device clock minus host clock

  void window(std::uint8_t kind, assay_window which, std::uint64_t index);
  void begin(assay_window which, std::uint64_t index) { window(ASSAY_WINDOW_BEGIN, which, index); }
  void end(assay_window which, std::uint64_t index) { window(ASSAY_WINDOW_END, which, index); }
  void clock_sample();

  /// A call now, and its work from `after_ns` behind the call's return, for `length_ns`. Time
  /// stands at the call's return.
  void work(assay_op op, assay_direction direction, std::int64_t after_ns, std::int64_t length_ns,
            std::int64_t amount = 0, std::int64_t weight_bytes = 0);
  /// A call that waits for `length_ns`.
  void wait(std::int64_t length_ns);
  /// Nothing happens that any record covers.
  void pass(std::int64_t length_ns) { now_ns += length_ns; }
  /// From `before_ns` before now, on the caller's thread or on another.
  void overhead(assay_overhead what, std::int64_t before_ns, std::int64_t length_ns,
                bool is_callers = true);
  /// A call that allocates or frees has just ended, `length_ns` after it was made; 0: nobody told.
  void memory(std::uint8_t op, std::int64_t length_ns);
  void thread(std::uint32_t tid, std::uint8_t role, std::int64_t run_ns, std::int64_t wait_ns);

  /// One decode step of 10,000 ns: call 100, launch 4,000, call 100 with an h2d of 1,000 behind it,
  /// a wait of the rest, and `unclaimed_ns` that nothing covers.
  void step(std::uint64_t index, std::int64_t unclaimed_ns);

  /// `keeps_launches`: as of a trace that is held against another.
  model::investigation investigate(bool keeps_launches = false) const;

  std::string facts = "{}";  ///< stated before the first record
};

std::int64_t part(const model::part_times_ns& parts, model::time_part which);

}  // namespace assay::attribution_test
