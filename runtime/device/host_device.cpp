// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_device.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/device/copy_check.h"
#include "runtime/device/host_cores.h"
#include "runtime/device/host_runner.h"

namespace assay::device {
namespace {

error unknown(const char* what, std::uint32_t index, const char* maker) {
  return {error_kind::usage,
          std::string("device: ") + what + " " + std::to_string(index) +
              " does not exist; take it from " + maker,
          __FILE__, __LINE__};
}

error unknown(stream which) {
  return unknown("stream", which.index, "create_stream");
}

error unknown(event which) {
  return unknown("event", which.index, "create_event");
}

std::string name_of(event which) {
  return "device: event " + std::to_string(which.index);
}

std::uint32_t threads_of(const host_device_options& options) {
  if (options.threads != 0) return options.threads;
  return std::min(usable_cores(), host_pool::helper_capacity + 1);
}

}  // namespace

result<std::unique_ptr<host_device>> host_device::create(const host_device_options& options) {
  return create(options, std::make_unique<host_runner>());
}

result<std::unique_ptr<host_device>> host_device::create(const host_device_options& options,
                                                         std::unique_ptr<operation_runner> runner) {
  if (options.spin_ns < 0)
    return ASSAY_FAIL(
        usage, "host device: spin of " + std::to_string(options.spin_ns) + " ns; give 0 or more");
  if (options.threads > host_pool::helper_capacity + 1)
    return ASSAY_FAIL(usage, "host device: " + std::to_string(options.threads) +
                                 " threads a launch; give at most " +
                                 std::to_string(host_pool::helper_capacity + 1));
  ASSAY_TRY_ASSIGN(auto arena, host_arena::create(options.memory_limit_bytes));
  return std::unique_ptr<host_device>(
      new host_device(options, std::move(arena), std::move(runner)));
}

host_device::host_device(const host_device_options& options, std::unique_ptr<host_arena> arena,
                         std::unique_ptr<operation_runner> runner)
    : serial_(next_device_serial()),
      spin_ns_(options.spin_ns),
      arena_(std::move(arena)),
      runner_(std::move(runner)),
      launch_threads_(threads_of(options)),
      events_(std::make_unique<event_slot[]>(event_capacity)),
      pool_(std::make_unique<host_pool>(launch_threads_ - 1, options.spin_ns)) {}

// In three rounds, because streams wait for each other's events: each gets its end before any is
// waited for, and none is destroyed while another may still look at how far it got.
host_device::~host_device() {
  for (const auto& worker : workers_)
    if (worker) worker->end();
  for (const auto& worker : workers_)
    if (worker) worker->join();
}

result<buffer> host_device::allocate(std::uint64_t bytes) {
  ASSAY_TRY_ASSIGN(const auto granted, arena_->allocate(bytes, open_range(serial_),
                                                        observer_.load(std::memory_order_acquire)));
  return buffer{granted.address, bytes};
}

result<void> host_device::free(buffer what) {
  return arena_->free(what.address, open_range(serial_), observer_.load(std::memory_order_acquire));
}

result<stream> host_device::create_stream() {
  const std::lock_guard lock(growth_);
  const std::uint32_t index = stream_count_.load(std::memory_order_relaxed);
  if (index == stream_capacity)
    return ASSAY_FAIL(usage, "host device: all " + std::to_string(stream_capacity) +
                                 " streams are taken; reuse one");
  workers_[index] =
      std::make_unique<host_worker>(index, spin_ns_, *arena_, *pool_, *runner_, observer_);
  stream_count_.store(index + 1, std::memory_order_release);
  return stream{index};
}

result<event> host_device::create_event() {
  const std::lock_guard lock(growth_);
  const std::uint32_t index = event_count_.load(std::memory_order_relaxed);
  if (index == event_capacity)
    return ASSAY_FAIL(usage, "host device: all " + std::to_string(event_capacity) +
                                 " events are taken; record one again");
  event_count_.store(index + 1, std::memory_order_release);
  return event{index};
}

result<void> host_device::copy_async(stream on, void* destination, const void* source,
                                     std::uint64_t bytes, copy_direction direction) {
  host_call call = begin_call(operation_kind::copy, on);
  call.asks_to_copy(bytes, direction);
  host_worker* worker = find(on);
  if (worker == nullptr) return call.refuse(unknown(on));
  if (auto checked = check_copy(*arena_, destination, source, bytes, direction); !checked)
    return call.refuse(std::move(checked).error());
  operation& slot = worker->queue().claim();
  slot.correlation = call.correlation();
  slot.work =
      copy_work{static_cast<std::byte*>(destination), static_cast<const std::byte*>(source), bytes};
  worker->queue().commit();
  return call.accept();
}

result<void> host_device::launch(stream on, const kernel& what) {
  host_call call = begin_call(operation_kind::launch, on);
  host_worker* worker = find(on);
  if (worker == nullptr) return call.refuse(unknown(on));
  if (what.body == nullptr || what.blocks == 0)
    return call.refuse({error_kind::usage,
                        "device: kernel " + std::string(what.name) +
                            " has no body or no blocks; make it with kernel::bind, 1 block or more",
                        __FILE__, __LINE__});
  operation& slot = worker->queue().claim();
  slot.correlation = call.correlation();
  slot.work = what;
  worker->queue().commit();
  return call.accept();
}

result<void> host_device::record_event(stream on, event what) {
  host_call call = begin_call(operation_kind::event_record, on);
  host_worker* worker = find(on);
  if (worker == nullptr) return call.refuse(unknown(on));
  event_slot* recorded = find(what);
  if (recorded == nullptr) return call.refuse(unknown(what));
  host_queue& queue = worker->queue();
  operation& slot = queue.claim();
  slot.correlation = call.correlation();
  slot.work = event_mark{
      recorded,
      recorded->note_record({{&queue.completed(), queue.claimed_sequence()}, call.correlation()})};
  queue.commit();
  return call.accept();
}

result<void> host_device::wait_event(stream on, event what) {
  host_call call = begin_call(operation_kind::event_wait, on);
  host_worker* worker = find(on);
  if (worker == nullptr) return call.refuse(unknown(on));
  const event_slot* awaited = find(what);
  if (awaited == nullptr) return call.refuse(unknown(what));
  operation& slot = worker->queue().claim();
  slot.correlation = call.correlation();
  const event_recording latest = awaited->latest();
  slot.work = event_gate{latest.where};
  call.waits_for(latest.call);
  worker->queue().commit();
  return call.accept();
}

result<bool> host_device::is_reached(event what) {
  const event_slot* slot = find(what);
  if (slot == nullptr) return failure(unknown(what));
  const event_state state = slot->state();
  if (!state.is_recorded)
    return ASSAY_FAIL(usage, name_of(what) + " was never recorded; record it on a stream first");
  return state.is_reached;
}

result<void> host_device::synchronize(stream on) {
  host_call call = begin_call(operation_kind::synchronize, on);
  host_worker* worker = find(on);
  if (worker == nullptr) return call.refuse(unknown(on));
  worker->queue().wait_completed(worker->queue().submitted());
  return call.accept();
}

result<event_time> host_device::time_of(event which) const {
  const event_slot* slot = find(which);
  if (slot == nullptr) return failure(unknown(which));
  const event_state state = slot->state();
  if (!state.is_recorded)
    return ASSAY_FAIL(usage, name_of(which) + " was never recorded; it has no time");
  if (!state.is_reached)
    return ASSAY_FAIL(usage, name_of(which) + " is not reached yet; synchronize its stream first");
  return state.at;
}

result<std::int64_t> host_device::elapsed_ns(event from, event to) {
  ASSAY_TRY_ASSIGN(const event_time early, time_of(from));
  ASSAY_TRY_ASSIGN(const event_time late, time_of(to));
  return late - early;
}

range_label host_device::set_range(range_label label) noexcept {
  return exchange_range(serial_, label);
}

void host_device::set_observer(observer* who) noexcept {
  observer_.store(who, std::memory_order_release);
}

std::vector<std::uint32_t> host_device::worker_tids() const {
  std::vector<std::uint32_t> tids;
  const std::uint32_t count = stream_count_.load(std::memory_order_acquire);
  for (std::uint32_t index = 0; index < count; ++index) tids.push_back(workers_[index]->tid());
  const std::vector<std::uint32_t> helpers = pool_->tids();
  tids.insert(tids.end(), helpers.begin(), helpers.end());
  return tids;
}

host_call host_device::begin_call(operation_kind kind, stream on) noexcept {
  return {observer_.load(std::memory_order_acquire),
          last_correlation_.fetch_add(1, std::memory_order_relaxed) + 1, kind, on.index,
          open_range(serial_)};
}

host_worker* host_device::find(stream which) const noexcept {
  return which.index < stream_count_.load(std::memory_order_acquire) ? workers_[which.index].get()
                                                                     : nullptr;
}

event_slot* host_device::find(event which) const noexcept {
  return which.index < event_count_.load(std::memory_order_acquire) ? &events_[which.index]
                                                                    : nullptr;
}

}  // namespace assay::device
