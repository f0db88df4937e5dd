// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// CUPTI's activity records as records of a trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <cupti.h>

#include "probes/cupti/call_book.h"
#include "probes/cupti/clock_fit.h"
#include "probes/trace/assay_trace.h"

namespace assay::probes {

/// What was read, by kind; sums of the records' own fields.
struct cupti_tally {
  std::uint64_t copies = 0;
  std::uint64_t h2d_bytes = 0;
  std::uint64_t d2h_bytes = 0;
  std::uint64_t d2d_bytes = 0;
  std::uint64_t pageable_bytes =
      0;                           ///< of the first two, to or from host memory that is not pinned
  std::uint64_t other_copies = 0;  ///< between arrays, host and host: not in the trace
  std::uint64_t kernels = 0;
  std::uint64_t graph_kernels = 0;   ///< of these, nodes of a graph
  std::uint64_t graph_launches = 0;  ///< whole graphs, where they are recorded as such
  std::uint64_t memsets = 0;         ///< the trace has no operation for them
  std::uint64_t memset_bytes = 0;
  std::uint64_t calls = 0;         ///< of the runtime API, whatever they were
  std::uint64_t driver_calls = 0;  ///< launches past it
  std::uint64_t synchronizations = 0;
  std::uint64_t events = 0;
  std::uint64_t unknown_records = 0;
  std::uint64_t untimed_records = 0;  ///< start or end 0: CUPTI had no time for them
  std::uint64_t overheads = 0;
  std::uint64_t untimed_overheads = 0;  ///< CUPTI had no time for them: no loss of work
};

/// One end of a range that a program named through NVTX.
struct nvtx_marker {
  std::uint32_t id = 0;  ///< of both ends
  bool is_begin = false;
  std::int64_t at_ns = 0;  ///< on the host's clock
  std::string name;        ///< of a begin
  std::string domain;
};

/// Turns records into a trace's, with times on the host's clock.
/// Correlation, stream and context are CUPTI's numbers. An activity's extra[0] is the blocks of its
/// grid. A call becomes a submission where it enqueues or waits; it carries no bytes: what the
/// caller asked for is not in CUPTI's record.
/// Threads: one at a time.
class activity_reader {
 public:
  /// `keeps_device_clock`: activities are not converted; calls always are.
  explicit activity_reader(bool keeps_device_clock = false)
      : keeps_device_clock_(keeps_device_clock) {}

  /// The calling thread is the one that the run's calls come from: overheads on it have its tid.
  void calls_come_from_here();

  /// The operation that a call of the runtime API submits; 0 for none. By name, so that versions
  /// and stream variants of a call count alike.
  static std::uint8_t operation_of(const char* call_name);

  /// Nothing where the trace has no place for the record, or where it has no time.
  std::optional<assay_record> read(const CUpti_Activity& activity, const clock_fit& clock,
                                   std::uint8_t (*operation_of_call)(CUpti_CallbackId));

  /// The id that a call was made under, where the record is one of those.
  static std::optional<claimed_call> read_claim(const CUpti_Activity& activity);

  /// The end of a named range, where the record is one of those.
  static std::optional<nvtx_marker> read_marker(const CUpti_Activity& activity,
                                                const clock_fit& clock);

  const cupti_tally& tally() const { return tally_; }

 private:
  std::optional<assay_record> read_copy(const CUpti_ActivityMemcpy6& copy, const clock_fit& clock);
  std::optional<assay_record> read_peer_copy(const CUpti_ActivityMemcpyPtoP4& copy,
                                             const clock_fit& clock);
  std::optional<assay_record> read_kernel(const CUpti_ActivityKernel10& kernel,
                                          const clock_fit& clock);
  std::optional<assay_record> read_call(const CUpti_ActivityAPI& call, const clock_fit& clock,
                                        std::uint8_t operation);
  std::optional<assay_record> read_overhead(const CUpti_ActivityOverhead3& overhead,
                                            const clock_fit& clock);
  std::optional<assay_record> read_event(const CUpti_ActivityCudaEvent2& event,
                                         const clock_fit& clock);
  std::optional<assay_record> timed(assay_record record, std::uint64_t start, std::uint64_t end,
                                    const clock_fit& clock);

  bool keeps_device_clock_;
  std::uint32_t caller_ = 0;  // as CUPTI names threads
  std::uint32_t caller_tid_ = 0;
  cupti_tally tally_;
};

}  // namespace assay::probes
