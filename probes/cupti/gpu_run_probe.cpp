// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/gpu_run_probe.h"

#include <utility>

#include "probes/cupti/cupti_library.h"
#include "probes/device_calls/call_numbers.h"

namespace assay::probes {
namespace {

// A copy may be staged in parts; a launch may be a graph's.
bool may_split(device::operation_kind kind) {
  return kind == device::operation_kind::copy || kind == device::operation_kind::launch;
}

assay_record call_of(const device::submission_record& told) {
  assay_record record{};
  record.kind = ASSAY_SUBMISSION;
  record.op = op_of(told.kind);
  record.direction = direction_of(told.kind, told.direction);
  record.flags = static_cast<std::uint8_t>((told.accepted ? 0 : ASSAY_REFUSED) |
                                           (may_split(told.kind) ? ASSAY_SPLIT : 0));
  record.range = told.range;
  record.stream = told.stream;
  record.correlation = told.correlation;
  record.start_ns = told.call_start_ns;
  record.end_ns = told.call_end_ns;
  if (told.kind == device::operation_kind::copy) {
    record.amount = static_cast<std::int64_t>(told.asked_bytes);
  } else if (told.kind == device::operation_kind::launch) {
    record.amount = told.asked_kernels;
  }
  record.extra[0] = static_cast<std::int64_t>(told.awaited);
  return record;
}

}  // namespace

std::string gpu_run_probe::version_words() {
  // It was refused where it says another one than this.
  const auto library = cupti_library::load();
  return library ? std::to_string(CUPTI_API_VERSION) : "unknown: " + library.error().message;
}

result<std::unique_ptr<gpu_run_probe>> gpu_run_probe::open(const cupti_options& options) {
  cupti_options wanted = options;
  wanted.keeps_device_clock = true;
  wanted.records_events = true;
  ASSAY_TRY_ASSIGN(auto cupti, cupti_probe::open(wanted));
  return std::unique_ptr<gpu_run_probe>(new gpu_run_probe(std::move(cupti)));
}

std::unique_ptr<gpu_run_probe> gpu_run_probe::without_records() {
  return std::unique_ptr<gpu_run_probe>(new gpu_run_probe(nullptr));
}

void gpu_run_probe::on_call(device::correlation_id correlation) noexcept {
  if (cupti_) cupti_->push_id(correlation);
}

void gpu_run_probe::on_submission(const device::submission_record& record) noexcept {
  if (!cupti_) return;
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
  told.extra[0] = call_ns_of(record);
  const std::lock_guard lock(mutex_);
  told_.push_back(told);
}

gpu_run_probe::own_work::own_work(gpu_run_probe& probe) : probe_(probe) {
  if (probe_.cupti_) probe_.cupti_->push_id(call_book::own_work_id);
}

gpu_run_probe::own_work::~own_work() {
  if (probe_.cupti_) probe_.cupti_->pop_id();
}

result<void> gpu_run_probe::drop(trace::sink& to) {
  if (!cupti_) return {};
  ASSAY_TRY_ASSIGN(auto seen, cupti_->take());
  std::erase_if(seen.records, [](const assay_record& each) {
    return each.kind == ASSAY_SUBMISSION || each.kind == ASSAY_ACTIVITY ||
           each.kind == ASSAY_OVERHEAD;
  });
  return to.records(seen.records);
}

result<void> gpu_run_probe::drain(trace::sink& to) {
  std::vector<assay_record> told;
  {
    const std::lock_guard lock(mutex_);
    told.swap(told_);
  }
  if (!cupti_) return told.empty() ? result<void>{} : to.records(told);
  ASSAY_TRY_ASSIGN(auto seen, cupti_->take());
  book_.join(seen.claims, told, seen.records);
  return to.records(seen.records);
}

}  // namespace assay::probes
