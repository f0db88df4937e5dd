// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Weights under a limit: what stays on the device, and what is streamed to each operator in time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/file_stamp.h"
#include "runtime/engine/resident_model.h"
#include "runtime/engine/streamed_source.h"
#include "runtime/engine/submitter.h"
#include "runtime/engine/weight_schedule.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/placement.h"
#include "runtime/memory/residency.h"
#include "runtime/memory/staging_ring.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// Under pin: fills the resident part at its creation, and streams the rest through the staging
/// area in every pass, as far ahead of the operators as the area has room. Under lru the whole
/// budget is the area, each weight is kept where it came in, and the oldest makes room.
/// Writes runtime.paging.* and runtime.weights.*.
/// Streams and events: a stream of its own for page-ins; five events a streamed operator. Neither
/// copies nor waits are waited for by the host: times are read when the step is done.
/// Ownership: owns the mapping, the source that it streams from in its place, where there is one,
/// and its device memory; device, writer and the
/// model that it was bound to outlive it. Threads: one.
/// Errors: out_of_memory; unusable_input, where a weight file is written to meanwhile; the device's
/// own. After an error inside a pass call abandon_pass().
class weight_paging {
 public:
  static result<std::unique_ptr<weight_paging>> create(
      checkpoint::checkpoint from, std::shared_ptr<memory::arena> into, device::device& on,
      telemetry::counter_writer& counters, std::uint64_t budget_bytes, memory::residency_kind kind,
      std::unique_ptr<streamed_source> source = nullptr);
  weight_paging(const weight_paging&) = delete;
  weight_paging& operator=(const weight_paging&) = delete;
  /// Waits for page-ins that an error left in flight.
  ~weight_paging();

  /// Points the model's weights at where they lie. Once; the model stays where it is after it.
  void bind(resident_model& model);

  /// Counters that reset with a request start again.
  void begin_request();
  /// Nothing of this pass is copied before `begin` is reached: then copies lie within the step.
  /// Without its head a pass ends with the last layer.
  result<void> begin_pass(device::event begin, bool has_head = true);
  /// The next operator of the schedule is about to be launched on `compute`: its weights are on
  /// their way, and the stream will have waited for them.
  result<void> before_operator(submitter& compute);
  result<void> after_operator(submitter& compute);
  /// All operators of a pass that streams nothing, whoever launches them.
  result<void> note_resident_pass(submitter& compute);
  /// Between the two: the operator's weights were copied by this pass.
  bool is_copied() const { return operators_[next_operator_].is_copied; }
  /// Errors: unusable_input, where a file is no longer what was loaded: reading its mapping could
  /// then be the end of the process.
  result<void> check_files() const;
  /// The pass is done and waited for; `step_ns` is its span on the compute stream.
  result<void> publish_pass(const submitter& compute, std::int64_t step_ns);
  /// A pass failed: what is in flight is quarantined until both streams have been waited for.
  void abandon_pass(submitter& compute);

  /// Another budget, between two passes: everything is given back and filled anew.
  /// Errors: out_of_memory, naming the least; then nothing has changed.
  result<void> change_budget(std::uint64_t budget_bytes);

  const weight_schedule& schedule() const { return schedule_; }
  /// The embedding table, where its file is mapped.
  std::span<const std::byte> embedding_on_host() const;
  /// The same where a kernel of a GPU reads it: the source's, or the head's where that is the table
  /// and stays.
  const std::byte* embedding_for_kernels() const;
  const streamed_source* source() const { return source_.get(); }
  bool is_streaming() const { return placed_.staging_bytes > 0; }
  std::uint64_t resident_bytes() const { return resident_bytes_; }
  /// The first weight that stays on the device: its index in the schedule, and its address.
  std::optional<std::pair<std::uint32_t, const std::byte*>> first_resident() const;

 private:
  struct streamed_operator {
    std::vector<std::uint32_t> weights;  ///< those that are not resident
    std::uint64_t placed_bytes = 0;
    std::uint64_t content_bytes = 0;
    event_pair copies;         ///< around its page-ins
    event_pair wait;           ///< around the compute stream's wait for them
    device::event read{};      ///< behind the operator itself
    bool is_staged = false;    ///< in the area, for this pass or, under lru, from one before
    bool is_copied = false;    ///< by this pass
    bool is_launched = false;  ///< by this pass
  };
  struct held_region {
    std::uint32_t operator_index;
    memory::staging_lease lease;
    bool is_stale = false;  ///< of an earlier pass, and not kept for another
    bool is_kept = false;   ///< counted as resident: under lru, when its copies are submitted
  };
  struct pass_tally {
    std::int64_t page_ins = 0;
    std::int64_t page_in_bytes = 0;
    std::int64_t staged_bytes = 0;
  };
  struct request_sums {
    std::int64_t lookups = 0;
    std::int64_t lookup_bytes = 0;
    std::int64_t hits = 0;
    std::int64_t hit_bytes = 0;
    std::int64_t copy_bytes = 0;
    std::int64_t copy_ns = 0;
    std::int64_t stall_ns = 0;
    std::int64_t step_ns = 0;
  };

  weight_paging(checkpoint::checkpoint from, weight_schedule schedule,
                std::shared_ptr<memory::arena> into, device::device& on,
                telemetry::counter_writer& counters, memory::residency_kind kind, submitter copies,
                std::unique_ptr<streamed_source> source);
  result<void> take_stamps();
  result<void> make_events();
  result<void> settle(const memory::placement& at, std::uint64_t budget_bytes);
  result<void> fill();
  result<void> copy_resident(submitter& transfer);
  void drop_all();
  /// Nothing may be freed or reused that a copy could still write to or read from.
  result<void> check_ring() const;
  void list_streamed();
  result<void> hold_streamed();
  std::span<const std::byte> content_of(std::uint32_t weight) const;
  void point_residents();
  result<void> stage_ahead(std::uint32_t current);
  result<std::optional<memory::staging_lease>> find_room(std::uint64_t bytes);
  result<void> stage(std::uint32_t index, memory::staging_lease lease);
  void note_lookups(std::uint32_t index);
  void note_resident(std::int64_t count, std::int64_t bytes);
  void give_back_oldest(const memory::completion& proof);
  void note_eviction(const held_region& of);
  void publish_ratios();

  checkpoint::checkpoint from_;
  std::vector<checkpoint::file_stamp> stamps_;
  weight_schedule schedule_;
  std::shared_ptr<memory::arena> arena_;
  device::device& on_;
  telemetry::counter_writer& counters_;
  memory::residency_kind kind_;
  submitter copies_;
  memory::completion_source proofs_;
  std::unique_ptr<streamed_source> source_;  ///< null: the mapping
  std::vector<ops::weight*> slots_;          ///< of the bound model, by weight

  memory::placement placed_;
  memory::device_buffer residents_;
  memory::device_buffer area_;
  std::vector<const std::byte*> resident_at_;  ///< by weight; null where it is streamed
  std::uint64_t resident_bytes_ = 0;
  std::int64_t kept_bytes_ = 0;  ///< what the gauge says: under lru what the area keeps
  std::int64_t kept_count_ = 0;
  memory::staging_ring ring_{0};
  std::vector<streamed_operator> operators_;  ///< by operator of the schedule
  std::deque<held_region> held_;              ///< oldest first

  bool is_settled_ = false;
  std::uint32_t next_operator_ = 0;  ///< to be launched
  std::uint32_t next_staged_ = 0;    ///< to be staged
  std::uint32_t end_operator_ = 0;   ///< of this pass
  pass_tally pass_;
  request_sums request_;
};

}  // namespace assay::engine
