// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/cuda_device.h"

#include <cmath>
#include <string>
#include <utility>

#include "runtime/device/cuda/cuda_try.h"
#include "runtime/device/host_range.h"
#include "runtime/telemetry/clock.h"

namespace assay::device {
namespace {

error unknown(const char* what, std::uint32_t index, const char* maker) {
  return {error_kind::usage,
          std::string("device: ") + what + " " + std::to_string(index) +
              " does not exist; take it from " + maker,
          __FILE__, __LINE__};
}

bool is_pageable(const void* at) {
  cudaPointerAttributes attributes{};
  const bool is_known = cudaPointerGetAttributes(&attributes, at) == cudaSuccess;
  if (!is_known) (void)cudaGetLastError();
  return !is_known || attributes.type == cudaMemoryTypeUnregistered;
}

cudaMemcpyKind kind_of(copy_direction direction) {
  switch (direction) {
    case copy_direction::h2d:
      return cudaMemcpyHostToDevice;
    case copy_direction::d2h:
      return cudaMemcpyDeviceToHost;
    case copy_direction::d2d:
      return cudaMemcpyDeviceToDevice;
  }
  return cudaMemcpyDefault;
}

}  // namespace

cuda_device::cuda_device(const cuda_device_options& options)
    : serial_(next_device_serial()), index_(options.index) {}

result<std::unique_ptr<cuda_device>> cuda_device::create(const cuda_device_options& options) {
  ASSAY_TRY(find_cuda_device(options.index));
  std::unique_ptr<cuda_device> made(new cuda_device(options));
  ASSAY_TRY(made->open(options));
  return made;
}

result<void> cuda_device::open(const cuda_device_options& options) {
  ASSAY_CUDA_TRY(cudaSetDevice(index_));
  ASSAY_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, index_));
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  ASSAY_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
  const std::uint64_t limit_bytes =
      options.memory_limit_bytes == 0 ? free_bytes : options.memory_limit_bytes;
  if (limit_bytes > free_bytes)
    return ASSAY_FAIL(out_of_memory, "GPU " + std::to_string(index_) + ": a limit of " +
                                         std::to_string(limit_bytes) + " bytes, but " +
                                         std::to_string(free_bytes) + " of " +
                                         std::to_string(total_bytes) +
                                         " bytes are free; lower the limit or free memory");
  buffers_.limit(limit_bytes);
  // Now and not with the first copy: nobody's time of a copy is to hold it.
  ASSAY_TRY_ASSIGN(staging_, pinned_staging::create());
  return {};
}

cuda_device::~cuda_device() {
  for (cudaStream_t each : streams_) {
    (void)cudaStreamSynchronize(each);
    (void)cudaStreamDestroy(each);
  }
  for (const event_entry& each : events_) (void)cudaEventDestroy(each.native);
  buffers_.for_each([](void* address) { (void)cudaFree(address); });
}

result<buffer> cuda_device::allocate(std::uint64_t bytes) {
  const host_time asked = host_now();
  const std::lock_guard lock(mutex_);
  ASSAY_TRY_ASSIGN(const std::uint64_t granted, buffers_.grant(bytes));
  void* address = nullptr;
  ASSAY_CUDA_TRY(cudaMalloc(&address, granted));
  buffers_.enter(address, granted);
  const buffer made{static_cast<std::byte*>(address), bytes};
  tell_memory(true, {made.address, granted}, asked);
  return made;
}

result<void> cuda_device::free(buffer what) {
  const host_time asked = host_now();
  const std::lock_guard lock(mutex_);
  const auto granted = buffers_.granted_at(what.address);
  if (!granted) return ASSAY_FAIL(usage, "device: free of an address that is no live buffer's");
  // What a lost device held is gone with it: the books close, and no owner is left with it.
  const auto freed = cuda_try(cudaFree(what.address), "cudaFree", __FILE__, __LINE__);
  if (!freed && freed.error().kind != error_kind::unavailable) return freed;
  tell_memory(false, {what.address, *granted}, asked);
  buffers_.strike(what.address);
  return {};
}

std::uint64_t cuda_device::memory_limit_bytes() const {
  const std::lock_guard lock(mutex_);
  return buffers_.limit_bytes();
}

void cuda_device::limit_memory(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  buffers_.limit(bytes);
}

result<device_memory> cuda_device::memory() const {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  ASSAY_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
  return device_memory{total_bytes, total_bytes - free_bytes};
}

void cuda_device::tell_memory(bool is_allocation, const buffer& what, host_time asked) noexcept {
  observer* who = observer_.load(std::memory_order_acquire);
  if (who == nullptr) return;
  who->on_memory({is_allocation, open_range(serial_), reinterpret_cast<std::uint64_t>(what.address),
                  what.bytes, host_now().ns, asked.ns});
}

result<stream> cuda_device::create_stream() {
  const std::lock_guard lock(mutex_);
  cudaStream_t made = nullptr;
  // Not blocking: the legacy default stream would order it against work that nobody asked about.
  ASSAY_CUDA_TRY(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  streams_.push_back(made);
  return stream{static_cast<std::uint32_t>(streams_.size() - 1)};
}

result<event> cuda_device::create_event() {
  const std::lock_guard lock(mutex_);
  event_entry made;
  ASSAY_CUDA_TRY(cudaEventCreate(&made.native));
  events_.push_back(made);
  return event{static_cast<std::uint32_t>(events_.size() - 1)};
}

cudaStream_t cuda_device::native(stream which) const {
  const std::lock_guard lock(mutex_);
  return which.index < streams_.size() ? streams_[which.index] : nullptr;
}

host_call cuda_device::begin_call(operation_kind kind, stream on) noexcept {
  return {observer_.load(std::memory_order_acquire), ++last_correlation_, kind, on.index,
          open_range(serial_)};
}

result<void> cuda_device::enqueue_copy(cudaStream_t on, void* destination, const void* source,
                                       std::uint64_t bytes, copy_direction direction) {
  {
    const std::lock_guard lock(mutex_);
    ASSAY_TRY(buffers_.check_copy(destination, source, bytes, direction));
  }
  if (direction == copy_direction::h2d && bytes > 0 && is_pageable(source)) {
    const std::lock_guard lock(staging_mutex_);
    return staging_->copy_to_device(on, destination, source, bytes);
  }
  ASSAY_CUDA_TRY(cudaMemcpyAsync(destination, source, bytes, kind_of(direction), on));
  return {};
}

result<void> cuda_device::copy_async(stream on, void* destination, const void* source,
                                     std::uint64_t bytes, copy_direction direction) {
  host_call call = begin_call(operation_kind::copy, on);
  call.asks_to_copy(bytes, direction);
  const cudaStream_t stream_handle = native(on);
  if (stream_handle == nullptr) return call.refuse(unknown("stream", on.index, "create_stream"));
  auto done = enqueue_copy(stream_handle, destination, source, bytes, direction);
  return done ? call.accept() : call.refuse(std::move(done).error());
}

result<void> cuda_device::launch(stream on, const kernel& what) {
  host_call call = begin_call(operation_kind::launch, on);
  return call.refuse({error_kind::unavailable,
                      "device: kernel " + std::string(what.name) +
                          " is a function of the host; a GPU runs the kernels of runtime/ops/cuda",
                      __FILE__, __LINE__});
}

result<void> cuda_device::submit_kernels(stream on, std::uint32_t kernels,
                                         const native_submit& submit) {
  host_call call = begin_call(operation_kind::launch, on);
  call.asks_to_launch(kernels);
  const cudaStream_t stream_handle = native(on);
  if (stream_handle == nullptr) return call.refuse(unknown("stream", on.index, "create_stream"));
  auto done = submit(stream_handle);
  return done ? call.accept() : call.refuse(std::move(done).error());
}

result<cuda_device::event_entry> cuda_device::find(event which) const {
  const std::lock_guard lock(mutex_);
  if (which.index >= events_.size()) return failure(unknown("event", which.index, "create_event"));
  return events_[which.index];
}

result<void> cuda_device::record_event(stream on, event what) {
  host_call call = begin_call(operation_kind::event_record, on);
  const cudaStream_t stream_handle = native(on);
  if (stream_handle == nullptr) return call.refuse(unknown("stream", on.index, "create_stream"));
  const std::lock_guard order(event_order_);
  auto entry = find(what);
  if (!entry) return call.refuse(std::move(entry).error());
  auto done = cuda_try(cudaEventRecord(entry->native, stream_handle), "cudaEventRecord", __FILE__,
                       __LINE__);
  if (!done) return call.refuse(std::move(done).error());
  const std::lock_guard lock(mutex_);
  events_[what.index].is_recorded = true;
  events_[what.index].recorded_by = call.correlation();
  return call.accept();
}

result<void> cuda_device::wait_event(stream on, event what) {
  host_call call = begin_call(operation_kind::event_wait, on);
  const cudaStream_t stream_handle = native(on);
  if (stream_handle == nullptr) return call.refuse(unknown("stream", on.index, "create_stream"));
  const std::lock_guard order(event_order_);
  auto entry = find(what);
  if (!entry) return call.refuse(std::move(entry).error());
  auto done = cuda_try(cudaStreamWaitEvent(stream_handle, entry->native, 0), "cudaStreamWaitEvent",
                       __FILE__, __LINE__);
  if (!done) return call.refuse(std::move(done).error());
  call.waits_for(entry->recorded_by);
  return call.accept();
}

result<bool> cuda_device::is_reached(event what) {
  ASSAY_TRY_ASSIGN(const event_entry entry, find(what));
  if (!entry.is_recorded)
    return ASSAY_FAIL(usage, "device: event " + std::to_string(what.index) +
                                 " was never recorded; record it on a stream first");
  const cudaError_t code = cudaEventQuery(entry.native);
  if (code == cudaErrorNotReady) return false;
  ASSAY_TRY(cuda_try(code, "cudaEventQuery", __FILE__, __LINE__));
  return true;
}

result<void> cuda_device::synchronize(stream on) {
  host_call call = begin_call(operation_kind::synchronize, on);
  const cudaStream_t stream_handle = native(on);
  if (stream_handle == nullptr) return call.refuse(unknown("stream", on.index, "create_stream"));
  auto done =
      cuda_try(cudaStreamSynchronize(stream_handle), "cudaStreamSynchronize", __FILE__, __LINE__);
  if (!done) return call.refuse(std::move(done).error());
  return call.accept();
}

result<std::int64_t> cuda_device::elapsed_ns(event from, event to) {
  ASSAY_TRY_ASSIGN(const event_entry early, find(from));
  ASSAY_TRY_ASSIGN(const event_entry late, find(to));
  float milliseconds = 0.0F;
  if (early.is_recorded && late.is_recorded) {
    const cudaError_t code = cudaEventElapsedTime(&milliseconds, early.native, late.native);
    if (code == cudaSuccess) return std::llround(static_cast<double>(milliseconds) * 1e6);
    auto tried = cuda_try(code, "cudaEventElapsedTime", __FILE__, __LINE__);
    if (code != cudaErrorNotReady) return failure(std::move(tried).error());
  }
  // Asked one by one only to name the one at fault: a query each would cost a step four calls.
  ASSAY_TRY_ASSIGN(const bool is_begun, is_reached(from));
  ASSAY_TRY(is_reached(to));
  return ASSAY_FAIL(usage, "device: event " + std::to_string(is_begun ? to.index : from.index) +
                               " is not reached yet; synchronize its stream first");
}

range_label cuda_device::set_range(range_label label) noexcept {
  return exchange_range(serial_, label);
}

void cuda_device::set_observer(observer* who) noexcept {
  observer_.store(who, std::memory_order_release);
}

result<std::unique_ptr<device>> create_cuda_device() {
  ASSAY_TRY_ASSIGN(std::unique_ptr<device> made, cuda_device::create({}));
  return made;
}

}  // namespace assay::device
