// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/host_device/host_device_probe.h"

#include <algorithm>
#include <atomic>
#include <span>

#include <sys/syscall.h>
#include <unistd.h>

#include "probes/device_calls/call_numbers.h"

namespace assay::probes {

namespace {

using device::operation_kind;

/// A thread's ring in the probe that it last reported to. One probe a process is the rule; a thread
/// that alternates between two pays a look-up each time.
struct ring_cache {
  std::uint64_t probe_id = 0;
  record_ring* ring = nullptr;
  std::uint32_t tid = 0;
};

thread_local ring_cache call_cache;
thread_local ring_cache activity_cache;

std::uint64_t next_probe_id() noexcept {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

[[gnu::noinline]] void fill(ring_cache& cache, ring_set& set, std::uint64_t probe_id) noexcept {
  cache.ring = set.ring_of_this_thread();
  cache.probe_id = probe_id;
  cache.tid = static_cast<std::uint32_t>(::syscall(SYS_gettid));
}

/// The slot for a record of the calling thread; null, counted, if there is none.
inline assay_record* claim(ring_cache& cache, ring_set& set, std::uint64_t probe_id) noexcept {
  if (cache.probe_id != probe_id) [[unlikely]]
    fill(cache, set, probe_id);
  if (cache.ring == nullptr) [[unlikely]] {
    set.count_without_ring();
    return nullptr;
  }
  return cache.ring->claim();
}

}  // namespace

host_device_probe::host_device_probe(std::size_t ring_records)
    : id_(next_probe_id()),
      calls_(ring_records),
      activities_(ring_records),
      ranges_(ring_records),
      worker_cut_(ring_set::max_threads) {}

void host_device_probe::on_submission(const device::submission_record& record) noexcept {
  assay_record* slot = claim(call_cache, calls_, id_);
  if (slot == nullptr) return;
  const bool is_copy = record.kind == operation_kind::copy;
  *slot = {.kind = ASSAY_SUBMISSION,
           .op = op_of(record.kind),
           .direction = direction_of(record.kind, record.direction),
           .flags = static_cast<std::uint8_t>(record.accepted ? 0 : 1),
           .range = record.range,
           .reserved = 0,
           .stream = record.stream,
           .tid = call_cache.tid,
           .correlation = record.correlation,
           .start_ns = record.call_start_ns,
           .end_ns = record.call_end_ns,
           .amount = is_copy ? static_cast<std::int64_t>(record.asked_bytes) : 0,
           .extra = {static_cast<std::int64_t>(record.awaited), 0, 0}};
  call_cache.ring->publish();
}

void host_device_probe::on_activity(const device::activity_record& record) noexcept {
  assay_record* slot = claim(activity_cache, activities_, id_);
  if (slot == nullptr) return;
  *slot = {.kind = ASSAY_ACTIVITY,
           .op = op_of(record.kind),
           .direction = direction_of(record.kind, record.direction),
           .flags = 0,
           .range = 0,  // drain() knows the submission
           .reserved = 0,
           .stream = record.stream,
           .tid = record.worker_tid,
           .correlation = record.correlation,
           .start_ns = record.start_ns,
           .end_ns = record.end_ns,
           .amount = static_cast<std::int64_t>(record.moved_bytes),
           .extra = {static_cast<std::int64_t>(record.executed_blocks),
                     static_cast<std::int64_t>(record.weight_bytes),
                     static_cast<std::int64_t>(record.kv_bytes)}};
  activity_cache.ring->publish();
}

void host_device_probe::on_memory(const device::memory_record& record) noexcept {
  assay_record* slot = claim(call_cache, calls_, id_);
  if (slot == nullptr) return;
  *slot = {.kind = ASSAY_MEMORY,
           .op = static_cast<std::uint8_t>(record.is_allocation ? 1 : 2),
           .direction = 0,
           .flags = 0,
           .range = record.range,
           .reserved = 0,
           .stream = 0,
           .tid = call_cache.tid,
           .correlation = record.address,
           .start_ns = record.at_ns,
           .end_ns = 0,
           .amount = static_cast<std::int64_t>(record.bytes),
           .extra = {call_ns_of(record), 0, 0}};
  call_cache.ring->publish();
}

result<void> host_device_probe::drain(trace::sink& to) {
  // Activities are cut off before submissions are: the submission of each activity below the cut
  // was made earlier, so it lies below its own cut if its call has returned.
  const auto workers = activities_.rings();
  for (std::size_t i = 0; i < workers.size(); ++i) worker_cut_[i] = workers[i]->published();
  for (const auto& ring : calls_.rings()) ASSAY_TRY(drain_calls(*ring, to));
  for (std::size_t i = 0; i < workers.size(); ++i)
    ASSAY_TRY(drain_worker(*workers[i], worker_cut_[i], to));
  return report_loss(to);
}

result<void> host_device_probe::drain_calls(record_ring& from, trace::sink& to) {
  const std::uint64_t until = from.published();
  std::uint64_t done = from.released();
  for (const auto piece : from.pending(until)) {
    for (const assay_record& record : piece)
      if (record.kind == ASSAY_SUBMISSION)
        ranges_[record.correlation & (ranges_.size() - 1)] = {record.correlation, record.range};
    ASSAY_TRY(send_others(piece, to));
    from.release(done += piece.size());
  }
  return {};
}

// In runs, as they lie: most traces have nothing of the harness's own between two records.
result<void> host_device_probe::send_others(std::span<const assay_record> records,
                                            trace::sink& to) {
  const auto is_own = [](const assay_record& each) { return each.range == own_work; };
  for (auto begin = records.begin(); begin != records.end();) {
    const auto end = std::find_if(begin, records.end(), is_own);
    if (begin != end) ASSAY_TRY(to.records({begin, end}));
    begin = std::find_if_not(end, records.end(), is_own);
  }
  return {};
}

result<void> host_device_probe::drain_worker(record_ring& from, std::uint64_t until,
                                             trace::sink& to) {
  std::uint64_t done = from.released();
  for (const auto piece : from.pending(until)) {
    for (assay_record& record : piece) {
      const known_range& known = ranges_[record.correlation & (ranges_.size() - 1)];
      record.range = known.correlation == record.correlation ? known.range : device::range_label{0};
    }
    ASSAY_TRY(send_others(piece, to));
    from.release(done += piece.size());
  }
  return {};
}

result<void> host_device_probe::report_loss(trace::sink& to) {
  const std::uint64_t lost = lost_count();
  if (lost == reported_lost_count_) return {};
  assay_record loss{};
  loss.kind = ASSAY_LOSS;
  loss.direction = ASSAY_SOURCE_DEVICE_RECORDS;
  loss.amount = static_cast<std::int64_t>(lost - reported_lost_count_);
  ASSAY_TRY(to.records(std::span(&loss, 1)));
  reported_lost_count_ = lost;
  return {};
}

}  // namespace assay::probes
