// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/thread_fold.h"

#include <algorithm>

#include "probes/trace/bounded.h"

namespace assay::attribution {

using trace::difference;
using trace::sum;

thread_fold::account* thread_fold::of(std::uint32_t tid) {
  const auto found = accounts_.find(tid);
  if (found != accounts_.end()) return &found->second;
  return accounts_.size() < max_threads ? &accounts_[tid] : nullptr;
}

void thread_fold::take(const assay_record& record) {
  if (record.kind == ASSAY_THREAD) return read(record);
  if (record.kind == ASSAY_SUBMISSION && record.op == ASSAY_OP_SYNC)
    note(record.tid, difference(record.end_ns, record.start_ns));
}

void thread_fold::on_activity(const joined_activity& work) {
  note(work.activity.tid, difference(work.activity.end_ns, work.activity.start_ns));
}

void thread_fold::note(std::uint32_t tid, std::int64_t length_ns) {
  account* known = tid == 0 ? nullptr : of(tid);
  if (known == nullptr || length_ns < 0) return;
  ++known->records;
  known->recorded_ns = sum(known->recorded_ns, length_ns);
}

void thread_fold::read(const assay_record& reading) {
  account* known = of(reading.stream);
  if (known == nullptr) return;
  known->is_worker = reading.op == stream_worker_role;
  const std::int64_t wall_ns = difference(reading.start_ns, known->at_ns);
  const std::int64_t run_ns = difference(reading.amount, known->run_ns);
  known->is_broken =
      known->is_broken || (known->is_read && (run_ns < 0 || reading.extra[0] < known->wait_ns ||
                                              difference(run_ns, wall_ns) > account_tick_ns));
  if (known->is_read && reading.start_ns > known->at_ns) {
    model::thread_line& line = known->line;
    ++line.intervals;
    line.wall_ns = sum(line.wall_ns, wall_ns);
    line.run_ns = sum(line.run_ns, run_ns);
    line.wait_ns = sum(line.wait_ns, difference(reading.extra[0], known->wait_ns));
    line.recorded_ns = sum(line.recorded_ns, known->recorded_ns);
    line.records += known->records;
  }
  known->is_read = true;
  known->at_ns = reading.start_ns;
  known->run_ns = reading.amount;
  known->wait_ns = reading.extra[0];
  known->recorded_ns = 0;
  known->records = 0;
}

std::vector<std::uint32_t> thread_fold::broken() const {
  std::vector<std::uint32_t> out;
  for (const auto& [tid, each] : accounts_)
    if (each.is_broken) out.push_back(tid);
  return out;
}

std::vector<model::thread_line> thread_fold::lines() const {
  std::vector<model::thread_line> out;
  for (const auto& [tid, each] : accounts_) {
    if (each.line.intervals == 0 || each.is_broken) continue;
    model::thread_line& line = out.emplace_back(each.line);
    line.tid = tid;
    line.is_worker = each.is_worker;
    line.asleep_ns = difference(difference(line.wall_ns, line.run_ns), line.wait_ns);
    line.differs_ns = difference(line.is_worker ? line.run_ns : line.asleep_ns, line.recorded_ns);
  }
  return out;
}

}  // namespace assay::attribution
