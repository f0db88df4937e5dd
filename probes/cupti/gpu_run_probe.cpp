// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/gpu_run_probe.h"

#include <utility>

namespace assay::probes {
namespace {

constexpr std::uint8_t op_of(device::operation_kind kind) {
  switch (kind) {
    case device::operation_kind::copy:
      return ASSAY_OP_COPY;
    case device::operation_kind::launch:
      return ASSAY_OP_LAUNCH;
    case device::operation_kind::event_record:
      return ASSAY_OP_EVENT;
    case device::operation_kind::event_wait:
      return ASSAY_OP_WAIT;
    case device::operation_kind::synchronize:
      return ASSAY_OP_SYNC;
  }
  return 0;
}

constexpr std::uint8_t direction_of(device::copy_direction direction) {
  switch (direction) {
    case device::copy_direction::h2d:
      return ASSAY_H2D;
    case device::copy_direction::d2h:
      return ASSAY_D2H;
    case device::copy_direction::d2d:
      return ASSAY_D2D;
  }
  return 0;
}

// A copy may be staged in parts; a launch may be a graph's.
bool may_split(device::operation_kind kind) {
  return kind == device::operation_kind::copy || kind == device::operation_kind::launch;
}

assay_record call_of(const device::submission_record& told) {
  assay_record record{};
  record.kind = ASSAY_SUBMISSION;
  record.op = op_of(told.kind);
  record.flags = static_cast<std::uint8_t>((told.accepted ? 0 : ASSAY_REFUSED) |
                                           (may_split(told.kind) ? ASSAY_SPLIT : 0));
  record.range = told.range;
  record.stream = told.stream;
  record.correlation = told.correlation;
  record.start_ns = told.call_start_ns;
  record.end_ns = told.call_end_ns;
  if (told.kind == device::operation_kind::copy) {
    record.direction = direction_of(told.direction);
    record.amount = static_cast<std::int64_t>(told.asked_bytes);
  } else if (told.kind == device::operation_kind::launch) {
    record.amount = told.asked_kernels;
  }
  return record;
}

}  // namespace

result<std::unique_ptr<gpu_run_probe>> gpu_run_probe::open(const cupti_options& options) {
  cupti_options wanted = options;
  wanted.keeps_device_clock = true;
  wanted.records_events = true;
  ASSAY_TRY_ASSIGN(auto cupti, cupti_probe::open(wanted));
  return std::unique_ptr<gpu_run_probe>(new gpu_run_probe(std::move(cupti)));
}

void gpu_run_probe::on_call(device::correlation_id correlation) noexcept {
  cupti_->push_id(correlation);
}

void gpu_run_probe::on_submission(const device::submission_record& record) noexcept {
  cupti_->pop_id();
  const std::lock_guard lock(mutex_);
  told_.push_back(call_of(record));
}

void gpu_run_probe::on_memory(const device::memory_record& record) noexcept {
  assay_record told{};
  told.kind = ASSAY_MEMORY;
  told.op = record.is_allocation ? 1 : 2;
  told.range = record.range;
  told.correlation = record.address;
  told.start_ns = record.at_ns;
  told.amount = static_cast<std::int64_t>(record.bytes);
  const std::lock_guard lock(mutex_);
  told_.push_back(told);
}

gpu_run_probe::own_work::own_work(gpu_run_probe& probe, std::uint16_t range) : probe_(probe) {
  probe_.cupti_->push_id(call_book::own_work_id(range));
}

gpu_run_probe::own_work::~own_work() {
  probe_.cupti_->pop_id();
}

result<void> gpu_run_probe::drop(trace::sink& to) {
  ASSAY_TRY_ASSIGN(auto seen, cupti_->take());
  std::erase_if(seen.records, [](const assay_record& each) {
    return each.kind == ASSAY_SUBMISSION || each.kind == ASSAY_ACTIVITY;
  });
  return to.records(seen.records);
}

result<void> gpu_run_probe::drain(trace::sink& to) {
  std::vector<assay_record> told;
  {
    const std::lock_guard lock(mutex_);
    told.swap(told_);
  }
  ASSAY_TRY_ASSIGN(auto seen, cupti_->take());
  book_.join(seen.claims, told, seen.records);
  return to.records(seen.records);
}

}  // namespace assay::probes
