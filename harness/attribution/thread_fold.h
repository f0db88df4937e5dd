// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernel's account of each thread, beside what the records say of it: a second way to divide
// the run's time, which shares nothing with the first but the records' stamps it is held against.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/attribution/pass_fold.h"
#include "probes/trace/assay_trace.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// Takes THREAD readings, the calls that wait, and the activities. Between two readings of a thread
/// its run and wait time lie beside what was recorded of it there. Memory: one entry a thread.
class thread_fold final : public activity_listener {
 public:
  static constexpr std::size_t max_threads = 4096;

  /// THREAD or SUBMISSION records; everything that came before must have been joined.
  void take(const assay_record& record);
  void on_activity(const joined_activity& work) override;
  /// Threads with two readings or more, in the order of their ids.
  std::vector<model::thread_line> lines() const;
  /// Threads whose account went back, or ran on for longer than there was time: in no line.
  std::vector<std::uint32_t> broken() const;

 private:
  struct account {
    bool is_read = false;
    bool is_worker = false;
    bool is_broken = false;
    std::int64_t at_ns = 0;
    std::int64_t run_ns = 0;
    std::int64_t wait_ns = 0;
    std::int64_t recorded_ns = 0;  // since the reading
    std::uint64_t records = 0;
    model::thread_line line;
  };
  account* of(std::uint32_t tid);
  void read(const assay_record& reading);
  void note(std::uint32_t tid, std::int64_t length_ns);

  std::map<std::uint32_t, account> accounts_;
};

}  // namespace assay::attribution
