// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/activity_reader.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace assay::probes {
namespace {

assay_overhead overhead_of(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return ASSAY_OVERHEAD_COMPILER;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return ASSAY_OVERHEAD_BUFFER_FLUSH;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return ASSAY_OVERHEAD_INSTRUMENTATION;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return ASSAY_OVERHEAD_RESOURCE;
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return ASSAY_OVERHEAD_MODULE_LOADING;
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return ASSAY_OVERHEAD_LAZY_LOADING;
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return ASSAY_OVERHEAD_COMMAND_BUFFER_FULL;
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
      return ASSAY_OVERHEAD_BUFFER_REQUEST;
    case CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT:
      return ASSAY_OVERHEAD_UNIFIED_MEMORY;
    default:
      return ASSAY_OVERHEAD_OTHER;
  }
}

}  // namespace

// CUPTI names a thread by the low half of what pthread_self() gives.
void activity_reader::calls_come_from_here() {
  caller_ = static_cast<std::uint32_t>(pthread_self());
  caller_tid_ = static_cast<std::uint32_t>(gettid());
}

std::uint8_t activity_reader::operation_of(const char* call_name) {
  const std::string_view name = call_name == nullptr ? "" : call_name;
  const auto begins = [&](std::string_view with) { return name.substr(0, with.size()) == with; };
  if (begins("cudaMemcpy")) return ASSAY_OP_COPY;
  if (begins("cudaLaunchKernel") || begins("cudaGraphLaunch") ||
      begins("cudaLaunchCooperativeKernel"))
    return ASSAY_OP_LAUNCH;
  if (begins("cudaEventRecord")) return ASSAY_OP_EVENT;
  if (begins("cudaStreamWaitEvent")) return ASSAY_OP_WAIT;
  if (begins("cudaStreamSynchronize") || begins("cudaDeviceSynchronize") ||
      begins("cudaEventSynchronize"))
    return ASSAY_OP_SYNC;
  return 0;
}

std::optional<assay_record> activity_reader::timed(assay_record record, std::uint64_t start,
                                                   std::uint64_t end, const clock_fit& clock) {
  if (start == 0 || end == 0) {
    ++tally_.untimed_records;
    return std::nullopt;
  }
  const auto stamp = [&](std::uint64_t at) {
    const auto at_ns = static_cast<std::int64_t>(at);
    const bool is_kept = keeps_device_clock_ && record.kind == ASSAY_ACTIVITY;
    return is_kept ? at_ns : clock.to_host_ns(at_ns);
  };
  record.start_ns = stamp(start);
  record.end_ns = stamp(end);
  return record;
}

std::optional<assay_record> activity_reader::read_copy(const CUpti_ActivityMemcpy6& copy,
                                                       const clock_fit& clock) {
  assay_record record{};
  record.kind = ASSAY_ACTIVITY;
  record.op = ASSAY_OP_COPY;
  switch (copy.copyKind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      record.direction = ASSAY_H2D;
      tally_.h2d_bytes += copy.bytes;
      break;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      record.direction = ASSAY_D2H;
      tally_.d2h_bytes += copy.bytes;
      break;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      record.direction = ASSAY_D2D;
      tally_.d2d_bytes += copy.bytes;
      break;
    default:
      ++tally_.other_copies;
      return std::nullopt;
  }
  ++tally_.copies;
  if (copy.srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ||
      copy.dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE) {
    record.flags = ASSAY_PAGEABLE;
    tally_.pageable_bytes += copy.bytes;
  }
  record.stream = copy.streamId;
  record.correlation = copy.correlationId;
  record.amount = static_cast<std::int64_t>(copy.bytes);
  return timed(record, copy.start, copy.end, clock);
}

std::optional<assay_record> activity_reader::read_peer_copy(const CUpti_ActivityMemcpyPtoP4& copy,
                                                            const clock_fit& clock) {
  ++tally_.copies;
  tally_.d2d_bytes += copy.bytes;
  assay_record record{};
  record.kind = ASSAY_ACTIVITY;
  record.op = ASSAY_OP_COPY;
  record.direction = ASSAY_D2D;
  record.stream = copy.streamId;
  record.correlation = copy.correlationId;
  record.amount = static_cast<std::int64_t>(copy.bytes);
  return timed(record, copy.start, copy.end, clock);
}

std::optional<assay_record> activity_reader::read_kernel(const CUpti_ActivityKernel10& kernel,
                                                         const clock_fit& clock) {
  ++tally_.kernels;
  if (kernel.graphNodeId != 0) ++tally_.graph_kernels;
  assay_record record{};
  record.kind = ASSAY_ACTIVITY;
  record.op = ASSAY_OP_LAUNCH;
  record.stream = kernel.streamId;
  record.correlation = kernel.correlationId;
  record.extra[0] = std::int64_t{kernel.gridX} * kernel.gridY * kernel.gridZ;
  return timed(record, kernel.start, kernel.end, clock);
}

std::optional<assay_record> activity_reader::read_call(const CUpti_ActivityAPI& call,
                                                       const clock_fit& clock,
                                                       std::uint8_t operation) {
  ++tally_.calls;
  if (operation == 0) return std::nullopt;
  assay_record record{};
  record.kind = ASSAY_SUBMISSION;
  record.op = operation;
  record.flags = call.returnValue == 0 ? 0 : 1;
  record.tid = call.threadId;
  record.correlation = call.correlationId;
  return timed(record, call.start, call.end, clock);
}

std::optional<assay_record> activity_reader::read_event(const CUpti_ActivityCudaEvent2& event,
                                                        const clock_fit& clock) {
  ++tally_.events;
  assay_record record{};
  record.kind = ASSAY_ACTIVITY;
  record.op = ASSAY_OP_EVENT;
  record.stream = event.streamId;
  record.correlation = event.correlationId;
  return timed(record, event.deviceTimestamp, event.deviceTimestamp, clock);
}

std::optional<assay_record> activity_reader::read_overhead(const CUpti_ActivityOverhead3& overhead,
                                                           const clock_fit& clock) {
  ++tally_.overheads;
  std::free(overhead.overheadData);  // CUPTI allocates it and asks the reader to free it
  if (overhead.start == 0 || overhead.end == 0) {
    ++tally_.untimed_overheads;
    return std::nullopt;
  }
  assay_record record{};
  record.kind = ASSAY_OVERHEAD;
  record.op = static_cast<std::uint8_t>(overhead_of(overhead.overheadKind));
  const bool is_callers = overhead.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD && caller_tid_ != 0 &&
                          overhead.objectId.pt.threadId == caller_;
  record.tid = is_callers ? caller_tid_ : 0;
  record.correlation = overhead.correlationId;
  return timed(record, overhead.start, overhead.end, clock);
}

std::optional<claimed_call> activity_reader::read_claim(const CUpti_Activity& activity) {
  if (activity.kind != CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) return std::nullopt;
  const auto& claim = reinterpret_cast<const CUpti_ActivityExternalCorrelation&>(activity);
  return claimed_call{claim.correlationId, claim.externalId};
}

std::optional<nvtx_marker> activity_reader::read_marker(const CUpti_Activity& activity,
                                                        const clock_fit& clock) {
  if (activity.kind != CUPTI_ACTIVITY_KIND_MARKER) return std::nullopt;
  const auto& marker = reinterpret_cast<const CUpti_ActivityMarker2&>(activity);
  const bool is_begin = (marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0;
  const auto text = [](const char* words) { return std::string(words == nullptr ? "" : words); };
  return nvtx_marker{marker.id, is_begin,
                     clock.to_host_ns(static_cast<std::int64_t>(marker.timestamp)),
                     text(marker.name), text(marker.domain)};
}

// The header promises 8-byte alignment of records; the vendor's way to read them is this cast.
std::optional<assay_record> activity_reader::read(
    const CUpti_Activity& activity, const clock_fit& clock,
    std::uint8_t (*operation_of_call)(CUpti_CallbackId)) {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return read_copy(reinterpret_cast<const CUpti_ActivityMemcpy6&>(activity), clock);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return read_peer_copy(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(activity), clock);
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return read_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(activity), clock);
    case CUPTI_ACTIVITY_KIND_RUNTIME: {
      const auto& call = reinterpret_cast<const CUpti_ActivityAPI&>(activity);
      return read_call(call, clock, operation_of_call(call.cbid));
    }
    case CUPTI_ACTIVITY_KIND_DRIVER:
      ++tally_.driver_calls;  // asked for the sake of its claim alone
      return std::nullopt;
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& memset = reinterpret_cast<const CUpti_ActivityMemset4&>(activity);
      ++tally_.memsets;
      tally_.memset_bytes += memset.bytes;
      return std::nullopt;
    }
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return read_event(reinterpret_cast<const CUpti_ActivityCudaEvent2&>(activity), clock);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return read_overhead(reinterpret_cast<const CUpti_ActivityOverhead3&>(activity), clock);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      ++tally_.graph_launches;
      return std::nullopt;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      ++tally_.synchronizations;
      return std::nullopt;
    default:
      ++tally_.unknown_records;
      return std::nullopt;
  }
}

}  // namespace assay::probes
