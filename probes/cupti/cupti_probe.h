// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the driver says that a GPU ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "probes/cupti/activity_reader.h"
#include "probes/cupti/buffer_pool.h"
#include "probes/cupti/call_book.h"
#include "probes/cupti/clock_fit.h"
#include "probes/cupti/cupti_library.h"
#include "probes/cupti/launch_edges.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

struct cupti_options {
  std::size_t buffers = 32;
  std::size_t buffer_bytes = std::size_t{2} << 20;
  /// Activities keep CUPTI's clock, for a reader that maps it by the CLOCK_SAMPLE before them.
  bool keeps_device_clock = false;
  /// A graph's launch is one record, without its kernels and its bytes: cheaper, and no ground for
  /// a verdict on either. Chosen before any graph exists: CUPTI 13.0 does not survive a change.
  bool is_graph_level = false;
  /// Ranges that somebody named through NVTX, where NVTX_INJECTION64_PATH names CUPTI's own file.
  bool records_ranges = false;
  bool records_events = false;  ///< event records become activities, stamped by the device
};

/// What take() gives.
struct cupti_records {
  std::vector<assay_record> records;  ///< a clock sample, the records in CUPTI's order, one LOSS
  std::vector<nvtx_marker> ranges;    ///< ends of named ranges
  std::vector<claimed_call> claims;   ///< calls that were made between push_id() and pop_id()
};

/// Records of copies, memsets, kernels (each node of a graph for itself; those that are launched
/// one by one say whether they are programmatic), synchronisations, calls of the runtime API, and
/// what CUPTI and the driver did for themselves (overheads of the opening thread with its tid),
/// through CUPTI's activity API. One a process, and only once in its life: CUPTI 13.0 gives wrong
/// correlation ids to graphs in a second session. Open it before the first context. Clock: CUPTI's
/// own, CLOCK_REALTIME by default, bracketed by the host's at open() and at each drain; records are
/// converted by the line through the two brackets around them. Errors: open: unavailable, naming
/// who holds CUPTI where somebody does, or as cupti_library; usage for a second probe. Threads:
/// open, drain and the destructor on one thread; CUPTI calls back on its own.
class cupti_probe {
 public:
  /// Brackets wider than this say too little, and are taken again.
  static constexpr std::int64_t widest_bracket_ns = 10'000;

  static result<std::unique_ptr<cupti_probe>> open(const cupti_options& options = {});
  /// Stops the records. What was not drained is gone.
  ~cupti_probe();
  cupti_probe(const cupti_probe&) = delete;
  cupti_probe& operator=(const cupti_probe&) = delete;

  /// Moves what has been recorded to `to`: a clock sample, the records in CUPTI's order, and one
  /// LOSS where something is missing. Call it with the device synchronised: a record whose work is
  /// not done stays with CUPTI.
  /// Errors: those of the sink and of CUPTI; unavailable where the clocks moved against each other
  /// as no clocks do, since every time of the window would be wrong.
  result<void> drain(trace::sink& to);
  /// The same, with the ids of the calls.
  result<cupti_records> take();

  /// Calls of the runtime API that this thread makes from now on carry `id`, until pop_id(). Nests.
  void push_id(std::uint64_t id) noexcept;
  void pop_id() noexcept;

  const cupti_tally& tally() const { return reader_.tally(); }
  /// Records that CUPTI dropped, or that had no time, since the probe was opened.
  std::uint64_t lost_count() const { return dropped_ + reader_.tally().untimed_records; }
  /// Buffers that CUPTI asked for in vain.
  std::uint64_t denied_buffer_count() const { return pool_.denied_count(); }
  /// How far a converted time of the last drain can be off.
  std::int64_t clock_error_ns() const { return clock_error_ns_; }
  double clock_drift_ppm() const { return clock_drift_ppm_; }

 private:
  cupti_probe(const cupti_library& library, const cupti_options& options);
  result<void> subscribe();
  result<void> enable();
  result<void> enable_launch_calls();
  result<clock_bracket> take_bracket() const;
  result<void> read_buffer(const filled_buffer& buffer, const clock_fit& clock,
                           cupti_records& into);
  result<void> read_dropped();

  static void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes,
                                  std::size_t* most_records);
  static void CUPTIAPI on_complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                   std::size_t bytes, std::size_t valid_bytes);
  static void CUPTIAPI on_call(void* edges, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void* data);
  static std::uint8_t operation_of_call(CUpti_CallbackId id);

  const cupti_library& library_;
  buffer_pool pool_;
  activity_reader reader_;
  launch_edges edges_;
  clock_bracket last_bracket_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  cupti_options options_;
  std::vector<CUpti_ActivityKind> enabled_;
  std::uint64_t dropped_ = 0;
  std::uint64_t reported_lost_ = 0;
  std::int64_t clock_error_ns_ = 0;
  double clock_drift_ppm_ = 0.0;
};

}  // namespace assay::probes
