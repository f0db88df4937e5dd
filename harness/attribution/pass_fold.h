// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Records to passes: where the time of each prefill and decode step went.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "harness/attribution/call_join.h"
#include "harness/attribution/caller_fold.h"
#include "harness/attribution/launch_book.h"
#include "harness/attribution/memory_fold.h"
#include "harness/attribution/overhead_fold.h"
#include "harness/attribution/roofline.h"
#include "harness/attribution/step_plan_match.h"
#include "harness/attribution/timeline.h"
#include "probes/trace/assay_trace.h"
#include "probes/trace/clock_map.h"
#include "probes/trace/run_facts.h"
#include "reports/model/investigation.h"
#include "runtime/telemetry/planned_launch.h"

namespace assay::attribution {

/// What kept passes or records out of the attribution. Nothing is dropped silently.
struct pass_defects {
  std::uint64_t backward_passes = 0;   ///< ended before they began
  std::uint64_t early_passes = 0;      ///< began before one before them had ended
  std::uint64_t unended_passes = 0;    ///< the trace ended or another began within them
  std::uint64_t oversized_passes = 0;  ///< more records than are held at once
  std::uint64_t untimed_records = 0;   ///< activities without times
  std::uint64_t backward_records = 0;
  std::uint64_t orphans = 0;  ///< activities whose call is not in the trace
};

/// Copies of one direction and range over the trace; times are lengths, one by one.
struct copy_total {
  std::uint8_t direction = 0;
  std::uint16_t range = 0;
  std::uint64_t copies = 0;
  std::int64_t bytes = 0;
  std::int64_t busy_ns = 0;
};

/// What launches read, over the trace.
struct read_total {
  std::uint64_t launches = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
  std::int64_t busy_ns = 0;
};

/// Is told of each activity as it was joined: records of a thread, for the second account.
class activity_listener {
 public:
  virtual ~activity_listener() = default;
  virtual void on_activity(const joined_activity& work) = 0;
};

/// One pass over the trace. Memory: a few MiB and 144 bytes a decode step.
/// Threads: one at a time. Nothing in a trace makes it fail.
class pass_fold {
 public:
  static constexpr std::size_t max_pieces = std::size_t{1} << 20;

  /// `listener` must outlive it.
  explicit pass_fold(activity_listener& listener) : listener_(listener) {}

  /// Keeps the launches of each decode step by class: up to 400 bytes more a step.
  void keep_launches() { keeps_launches_ = true; }
  const std::vector<model::launch_class>& launch_classes() const { return launches_.classes(); }

  /// What a decode step launches; of steps that end later.
  void plan(std::vector<telemetry::planned_launch> step) { plan_ = std::move(step); }
  bool is_in_pass() const { return open_kind_ != 0; }
  std::size_t planned_launches() const { return plan_.size(); }
  /// The requests in the order in which they come; of passes that end later.
  void plan(std::vector<telemetry::planned_request> requests) {
    planned_requests_ = std::move(requests);
  }
  /// By the arithmetic that bounds them.
  const std::vector<planned_prefills>& prefills() const { return prefills_; }

  void take(const assay_record& record);
  /// Joins what is held: before anybody reads totals.
  void flush();
  void finish();

  const model::pass_total& decode() const { return decode_; }
  const model::pass_total& prefill() const { return prefill_; }
  const std::vector<model::pass_line>& steps() const { return steps_; }
  const pass_defects& defects() const { return defects_; }
  const std::vector<copy_total>& copies() const { return copies_; }
  const read_total& reads() const { return reads_; }
  const trace::clock_map& clock() const { return clock_; }
  bool tells_overheads() const { return overheads_.is_told(); }
  std::uint64_t backward_overheads() const { return overheads_.backward_spans(); }
  /// Gaps between tokens and times to the first one, in the order of the trace.
  std::vector<std::int64_t>& inter_token_ns() { return inter_token_ns_; }
  std::vector<std::int64_t>& first_token_ns() { return first_token_ns_; }
  std::uint64_t requests() const { return requests_; }

 private:
  void take_call(const assay_record& call);
  static void count_copy_call(const assay_record& call, model::pass_total& total);
  void take_work(const assay_record& work);
  void begin_window(const assay_record& record);
  void end_window(const assay_record& record);
  void end_pass(const assay_record& record);
  void note_token(bool is_first, std::int64_t at_ns);
  void add(const piece& each);
  void place(const joined_activity& work);
  void count_copy(const joined_activity& work);
  void count_launch(std::uint16_t which, const joined_activity& work);
  bool is_planned_step() const;
  bool name_launches();
  std::int64_t launch_lengths_ns(std::int64_t begin_ns, std::int64_t end_ns) const;
  const telemetry::planned_request* planned_request() const;
  void count_products(const telemetry::planned_launch& planned, const joined_activity& work,
                      model::launch_line& into) const;
  void count_prefill(std::int64_t busy_ns, std::int64_t lengths_ns);
  void settle(model::pass_total& total, const model::pass_line& line, const split& parts);
  model::pass_total& total_of(std::uint8_t kind) {
    return kind == ASSAY_WINDOW_PREFILL ? prefill_ : decode_;
  }

  activity_listener& listener_;
  trace::clock_map clock_;
  call_join calls_;
  launch_book launches_;
  caller_fold caller_;
  overhead_fold overheads_;
  memory_fold memory_;
  std::vector<joined_activity> joined_;
  std::vector<piece> pieces_;  // of the pass that is open

  std::uint8_t open_kind_ = 0;  // of the pass, 0 none
  assay_record opened_{};
  bool is_oversized_ = false;
  bool keeps_launches_ = false;
  std::uint64_t requests_ = 0;
  std::int64_t request_begin_ns_ = 0;
  std::int64_t last_token_ns_ = 0;
  bool has_token_ = false;
  bool is_in_request_ = false;
  bool has_origin_ = false;
  std::int64_t origin_ns_ = 0;
  std::int64_t ended_ns_ = 0;  // the latest end of a pass; with an origin

  model::pass_total decode_;
  model::pass_total prefill_;
  std::vector<model::pass_line> steps_;
  std::vector<telemetry::planned_launch> plan_;
  std::vector<telemetry::planned_request> planned_requests_;
  std::vector<planned_prefills> prefills_;
  std::vector<held_launch> held_launches_;         // of the open pass
  std::vector<model::launch_line> pass_launches_;  // likewise, by class, once it has ended
  std::uint64_t shared_call_ = 0;                  // counted last; 0 none
  std::vector<copy_total> copies_;
  read_total reads_;
  std::vector<std::int64_t> inter_token_ns_;
  std::vector<std::int64_t> first_token_ns_;
  pass_defects defects_;
};

}  // namespace assay::attribution
