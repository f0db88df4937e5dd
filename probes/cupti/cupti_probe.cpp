// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/cupti_probe.h"

#include <array>
#include <atomic>
#include <map>
#include <string>
#include <utility>

#include "runtime/telemetry/clock.h"

namespace assay::probes {
namespace {

// CUPTI's callbacks for buffers carry no pointer of ours. Null outside a probe's life; the flag
// outlives it.
std::atomic<buffer_pool*> current_pool{nullptr};
std::atomic<const cupti_library*> current_library{nullptr};
std::atomic<bool> was_opened{false};

constexpr std::array recorded_kinds = {
    CUPTI_ACTIVITY_KIND_MEMCPY,  CUPTI_ACTIVITY_KIND_MEMCPY2,         CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_OVERHEAD};

// A library may launch past the runtime API, cuBLAS does: without a record of that call nothing
// would say whose kernel it was.
constexpr std::array driver_launches = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel};

// The calls that have launch attributes among their arguments.
struct launch_call {
  CUpti_CallbackDomain domain;
  CUpti_CallbackId id;
};
constexpr std::array launch_calls = {
    launch_call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060},
    launch_call{CUPTI_CB_DOMAIN_RUNTIME_API,
                CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060},
    launch_call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx},
    launch_call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz}};

}  // namespace

cupti_probe::cupti_probe(const cupti_library& library, const cupti_options& options)
    : library_(library),
      pool_(options.buffers, options.buffer_bytes),
      reader_(options.keeps_device_clock),
      options_(options) {}

result<std::unique_ptr<cupti_probe>> cupti_probe::open(const cupti_options& options) {
  ASSAY_TRY_ASSIGN(const cupti_library* library, cupti_library::load());
  if (was_opened)
    return ASSAY_FAIL(usage,
                      "CUPTI: this process had a probe already, and CUPTI 13.0 is right in the "
                      "first session only; start another process");
  std::unique_ptr<cupti_probe> probe(new cupti_probe(*library, options));
  current_pool = &probe->pool_;
  current_library = library;
  ASSAY_TRY(probe->subscribe());
  was_opened = true;
  ASSAY_TRY(probe->enable());
  ASSAY_TRY_ASSIGN(probe->last_bracket_, probe->take_bracket());
  return probe;
}

result<void> cupti_probe::subscribe() {
  std::array<char, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> holder{};
  CUpti_SubscriberParams parameters{};
  parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  parameters.subscriberName = "assay";
  parameters.oldSubscriberName = holder.data();
  parameters.oldSubscriberSize = holder.size();
  const CUptiResult code = library_.subscribe(&subscriber_, on_call, &edges_, &parameters);
  if (code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    const std::string name(holder.data());
    return ASSAY_FAIL(unavailable, "CUPTI is held by " +
                                       (name.empty() ? "another tool that gave no name" : name) +
                                       ": it has room for one; end that tool");
  }
  return library_.attempt(code, "cuptiSubscribe_v2");
}

result<void> cupti_probe::enable() {
  reader_.calls_come_from_here();
  // Else CUPTI clears each buffer inside of the first call that it records there: without it the
  // residual of a decode step fell from 80 us to 27 and 37 us (H200, docs/evidence).
  std::uint8_t is_zeroed = 1;
  std::size_t bytes = sizeof is_zeroed;
  ASSAY_TRY(library_.attempt(
      library_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &is_zeroed),
      "cuptiActivitySetAttribute"));
  ASSAY_TRY(library_.attempt(library_.register_callbacks(on_request, on_complete),
                             "cuptiActivityRegisterCallbacks"));
  for (const CUpti_ActivityKind kind : recorded_kinds) {
    ASSAY_TRY(library_.attempt(library_.enable(kind), "cuptiActivityEnable"));
    enabled_.push_back(kind);
  }
  const CUpti_ActivityKind kernels = options_.is_graph_level
                                         ? CUPTI_ACTIVITY_KIND_GRAPH_TRACE
                                         : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  ASSAY_TRY(library_.attempt(library_.enable(kernels), "cuptiActivityEnable"));
  enabled_.push_back(kernels);
  if (!options_.is_graph_level) ASSAY_TRY(enable_launch_calls());
  if (options_.records_ranges) {
    ASSAY_TRY(library_.attempt(library_.enable(CUPTI_ACTIVITY_KIND_MARKER), "cuptiActivityEnable"));
    enabled_.push_back(CUPTI_ACTIVITY_KIND_MARKER);
  }
  if (!options_.records_events) return {};
  ASSAY_TRY(library_.attempt(library_.enable_event_times(1),
                             "cuptiActivityEnableCudaEventDeviceTimestamps"));
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION}) {
    ASSAY_TRY(library_.attempt(library_.enable(kind), "cuptiActivityEnable"));
    enabled_.push_back(kind);
  }
  for (const CUpti_driver_api_trace_cbid call : driver_launches)
    ASSAY_TRY(
        library_.attempt(library_.enable_driver_call(call, 1), "cuptiActivityEnableDriverApi"));
  return {};
}

result<void> cupti_probe::enable_launch_calls() {
  for (const launch_call& each : launch_calls)
    ASSAY_TRY(library_.attempt(library_.enable_callback(1, subscriber_, each.domain, each.id),
                               "cuptiEnableCallback"));
  return {};
}

void cupti_probe::push_id(std::uint64_t id) noexcept {
  (void)library_.push_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id);
}

void cupti_probe::pop_id() noexcept {
  std::uint64_t last = 0;
  (void)library_.pop_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}

cupti_probe::~cupti_probe() {
  if (options_.records_events)
    for (const CUpti_driver_api_trace_cbid call : driver_launches)
      (void)library_.enable_driver_call(call, 0);
  for (const CUpti_ActivityKind kind : enabled_) (void)library_.disable(kind);
  if (!enabled_.empty()) (void)library_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  current_pool = nullptr;
  if (subscriber_ != nullptr) (void)library_.unsubscribe(subscriber_);
}

void CUPTIAPI cupti_probe::on_request(std::uint8_t** buffer, std::size_t* bytes,
                                      std::size_t* most_records) {
  buffer_pool* pool = current_pool;
  *buffer = pool == nullptr ? nullptr : pool->take();
  *bytes = *buffer == nullptr ? 0 : pool->buffer_bytes();
  *most_records = 0;
}

void CUPTIAPI cupti_probe::on_complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                       std::size_t valid_bytes) {
  if (buffer_pool* pool = current_pool) pool->fill(buffer, valid_bytes);
}

void CUPTIAPI cupti_probe::on_call(void* edges, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data) {
  static_cast<launch_edges*>(edges)->on_call(domain, id,
                                             *static_cast<const CUpti_CallbackData*>(data));
}

std::uint8_t cupti_probe::operation_of_call(CUpti_CallbackId id) {
  thread_local std::map<CUpti_CallbackId, std::uint8_t> known;
  const auto found = known.find(id);
  if (found != known.end()) return found->second;
  const char* name = nullptr;
  const cupti_library* library = current_library;
  const bool is_named =
      library->get_callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, id, &name) == CUPTI_SUCCESS;
  return known[id] = activity_reader::operation_of(is_named ? name : nullptr);
}

result<clock_bracket> cupti_probe::take_bracket() const {
  clock_bracket best;
  for (int tries = 0; tries < 20; ++tries) {
    clock_bracket taken;
    std::uint64_t device_ns = 0;
    taken.host_before_ns = host_now().ns;
    ASSAY_TRY(library_.attempt(library_.get_timestamp(&device_ns), "cuptiGetTimestamp"));
    taken.host_after_ns = host_now().ns;
    taken.device_ns = static_cast<std::int64_t>(device_ns);
    if (tries == 0 || taken.width_ns() < best.width_ns()) best = taken;
    // The first ones pay for cold caches; a handful suffices where one is narrow.
    if (tries >= 4 && best.width_ns() <= widest_bracket_ns) break;
  }
  if (best.width_ns() > widest_bracket_ns)
    return ASSAY_FAIL(unavailable, "CUPTI: no clock sample narrower than " +
                                       std::to_string(widest_bracket_ns) +
                                       " ns in 20; the machine is too busy to compare clocks");
  return best;
}

result<void> cupti_probe::drain(trace::sink& to) {
  ASSAY_TRY_ASSIGN(const cupti_records taken, take());
  return to.records(taken.records);
}

result<cupti_records> cupti_probe::take() {
  ASSAY_TRY(library_.attempt(library_.flush_all(0), "cuptiActivityFlushAll"));
  ASSAY_TRY_ASSIGN(const clock_bracket now, take_bracket());
  const clock_fit clock(last_bracket_, now);
  clock_error_ns_ = clock.error_ns();
  clock_drift_ppm_ = clock.drift_ppm();
  cupti_records taken;
  assay_record sample{};
  sample.kind = ASSAY_CLOCK_SAMPLE;
  sample.start_ns = now.host_before_ns;
  sample.end_ns = now.host_after_ns;
  sample.amount = now.device_ns;
  taken.records.push_back(sample);
  for (const filled_buffer& buffer : pool_.filled()) {
    const auto read = read_buffer(buffer, clock, taken);
    pool_.give_back(buffer.data);
    ASSAY_TRY(read);
  }
  last_bracket_ = now;
  ASSAY_TRY(read_dropped());
  if (!clock.is_plausible())
    return ASSAY_FAIL(unavailable, "CUPTI: its clock ran " + std::to_string(clock.drift_ppm()) +
                                       " ppm against the host's; it was set while recording");
  if (lost_count() > reported_lost_) {
    assay_record loss{};
    loss.kind = ASSAY_LOSS;
    loss.direction = ASSAY_SOURCE_DEVICE_RECORDS;
    loss.amount = static_cast<std::int64_t>(lost_count() - reported_lost_);
    taken.records.push_back(loss);
    reported_lost_ = lost_count();
  }
  return taken;
}

result<void> cupti_probe::read_buffer(const filled_buffer& buffer, const clock_fit& clock,
                                      cupti_records& into) {
  CUpti_Activity* activity = nullptr;
  for (;;) {
    const CUptiResult code = library_.next_record(buffer.data, buffer.valid_bytes, &activity);
    if (code == CUPTI_ERROR_MAX_LIMIT_REACHED) return {};
    ASSAY_TRY(library_.attempt(code, "cuptiActivityGetNextRecord"));
    if (const auto claim = activity_reader::read_claim(*activity))
      into.claims.push_back(*claim);
    else if (auto marker = activity_reader::read_marker(*activity, clock))
      into.ranges.push_back(*std::move(marker));
    else if (auto record = reader_.read(*activity, clock, operation_of_call)) {
      const bool is_kernel = record->kind == ASSAY_ACTIVITY && record->op == ASSAY_OP_LAUNCH;
      if (is_kernel && edges_.take(static_cast<std::uint32_t>(record->correlation)))
        record->flags |= ASSAY_PROGRAMMATIC;
      into.records.push_back(*record);
    }
  }
}

result<void> cupti_probe::read_dropped() {
  std::size_t dropped = 0;
  ASSAY_TRY(library_.attempt(library_.dropped_records(nullptr, 0, &dropped),
                             "cuptiActivityGetNumDroppedRecords"));
  dropped_ += dropped;
  return {};
}

}  // namespace assay::probes
