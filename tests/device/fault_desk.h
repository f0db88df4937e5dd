// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a faulty executor's front decides, on its way to the runner.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/telemetry/clock.h"
#include "tests/device/faulty_executor.h"

namespace assay::device {

/// What the front decided about one operation, on its way to the runner.
struct ticket {
  bool is_struck = false;
  std::int64_t enqueue_start_ns = 0;
  std::int64_t enqueue_end_ns = 0;
};

/// What the front knows of a submission when it decides.
struct submission_facts {
  operation_kind kind;
  range_label range;
  std::optional<copy_direction> direction;
};

inline bool matches(const fault_plan& plan, const submission_facts& facts) {
  if (plan.fault == executor_fault::none) return false;
  if (plan.fault == executor_fault::copy_half && facts.kind != operation_kind::copy) return false;
  if (plan.kind && *plan.kind != facts.kind) return false;
  if (plan.range && *plan.range != facts.range) return false;
  return !plan.direction || plan.direction == facts.direction;
}

/// One line of tickets a stream: pushed by the front before each submission, taken by the runner in
/// the same order.
class fault_desk {
 public:
  explicit fault_desk(const fault_plan& plan) : plan_(plan) {}

  const fault_plan& plan() const { return plan_; }

  void push(std::uint32_t stream, const submission_facts& facts) {
    const std::lock_guard lock(mutex_);
    ticket made;
    made.enqueue_start_ns = host_now().ns;
    if (matches(plan_, facts)) {
      const std::uint64_t index = count_.matched++;
      made.is_struck = index >= plan_.first && (index - plan_.first) % plan_.every == 0;
    }
    made.enqueue_end_ns = host_now().ns;
    lines_[stream].waiting.push_back(made);
    changed_.notify_all();
  }

  /// The submission was refused: its ticket goes.
  void withdraw(std::uint32_t stream) {
    const std::lock_guard lock(mutex_);
    lines_[stream].waiting.pop_back();
  }

  ticket take(std::uint32_t stream) {
    const std::lock_guard lock(mutex_);
    line& from = lines_[stream];
    const ticket taken = from.waiting.front();
    from.waiting.pop_front();
    ++from.taken;
    if (taken.is_struck) ++count_.struck;
    return taken;
  }

  /// Somebody is about to wait for what was submitted: nothing may be held back for a successor.
  void hurry() {
    const std::lock_guard lock(mutex_);
    for (auto& [stream, each] : lines_) each.hurried_through = each.taken + each.waiting.size();
    changed_.notify_all();
  }

  /// Waits until the operation taken last has a successor; false where it will get none in time.
  bool wait_for_successor(std::uint32_t stream) {
    std::unique_lock lock(mutex_);
    line& of = lines_[stream];
    changed_.wait(lock, [&] { return !of.waiting.empty() || of.hurried_through >= of.taken; });
    return !of.waiting.empty();
  }

  fault_count count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  struct line {
    std::deque<ticket> waiting;
    std::uint64_t taken = 0;
    std::uint64_t hurried_through = 0;
  };

  const fault_plan plan_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, line> lines_;
  fault_count count_;
};

}  // namespace assay::device
