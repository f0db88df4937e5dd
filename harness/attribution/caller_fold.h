// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The calling thread by the kernel's account: how much of each pass's residual it ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "probes/trace/assay_trace.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// What a thread is for: the op of a THREAD record.
inline constexpr std::uint8_t caller_role = 1;
inline constexpr std::uint8_t stream_worker_role = 2;
/// The kernel counts a thread's time up at its ticks: by one, an account may be ahead of the clock.
inline constexpr std::int64_t account_tick_ns = 10'000'000;

/// Takes the caller's readings and the calls that wait, of one pass after the other. What its
/// workers ran is on no path of its own, and left out. Memory: the waits of one pass.
class caller_fold {
 public:
  static constexpr std::size_t max_waits = std::size_t{1} << 20;

  void begin_pass();
  /// A THREAD record within the pass; those of other roles and threads are passed over.
  void take_reading(const assay_record& reading);
  /// A SUBMISSION that waits.
  void take_wait(const assay_record& call);
  /// Of the pass that ends, into the passes of its kind; nothing where the readings do not lie
  /// around it, or cannot be.
  void settle(std::int64_t residual_ns, std::int64_t begin_ns, std::int64_t end_ns,
              model::pass_account& into) const;

 private:
  struct bound {
    bool is_settled = false;  // where it was off its core is known
    std::int64_t off_core_outside_ns = 0;
  };
  std::int64_t waiting_ns(std::int64_t begin_ns, std::int64_t end_ns) const;
  bound bound_of(std::int64_t wall_ns, std::int64_t waiting_ns, std::int64_t off_core_ns,
                 std::int64_t run_ns) const;

  assay_record first_{};  // readings within the pass that is open
  assay_record last_{};
  std::vector<assay_record> waits_;
};

}  // namespace assay::attribution
