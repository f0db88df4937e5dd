// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_runner.h"

#include "runtime/device/host_copy.h"
#include "runtime/telemetry/check.h"
#include "runtime/telemetry/clock.h"

namespace assay::device {
namespace {

activity_record record_of(const operation& what, const worker_site& site, operation_kind kind) {
  activity_record record{};
  record.correlation = what.correlation;
  record.kind = kind;
  record.stream = site.stream;
  record.worker_tid = site.worker_tid;
  return record;
}

void run_copy(const operation& what, const copy_work& copy, const worker_site& site) {
  if (site.reports_to == nullptr) {
    copy_in_chunks(copy.destination, copy.source, copy.bytes);
    return;
  }
  activity_record record = record_of(what, site, operation_kind::copy);
  record.start_ns = host_now().ns;
  record.moved_bytes = copy_in_chunks(copy.destination, copy.source, copy.bytes);
  record.end_ns = host_now().ns;
  record.direction = site.arena->direction_of(copy.destination, copy.source);
  site.reports_to->on_activity(record);
}

void run_launch(const operation& what, const kernel& launched, const worker_site& site) {
  if (site.reports_to == nullptr) {
    site.pool->run(launched, false, site.ahead);
    return;
  }
  activity_record record = record_of(what, site, operation_kind::launch);
  record.start_ns = host_now().ns;
  const launch_tally tally = site.pool->run(launched, true, site.ahead);
  record.end_ns = tally.end_ns;
  record.executed_blocks = tally.executed_blocks;
  record.weight_bytes = tally.weight_bytes;
  record.kv_bytes = tally.kv_bytes;
  site.reports_to->on_activity(record);
}

// Three clock reads: an event and the record that judges it must not share one, and an interruption
// between them shows in the record.
void run_event(const operation& what, const event_mark& mark, const worker_site& site) {
  if (site.reports_to == nullptr) return mark.what->stamp(mark.record, event_time{host_now().ns});
  activity_record record = record_of(what, site, operation_kind::event_record);
  record.start_ns = host_now().ns;
  mark.what->stamp(mark.record, event_time{host_now().ns});
  record.end_ns = host_now().ns;
  site.reports_to->on_activity(record);
}

void run_gate(const event_gate& gate, const worker_site& site) {
  if (gate.until.completed != nullptr)
    gate.until.completed->wait_for(gate.until.sequence, site.spin_ns);
}

}  // namespace

void host_runner::run(const operation& what, const worker_site& site) {
  if (const auto* launched = std::get_if<kernel>(&what.work))
    run_launch(what, *launched, site);
  else if (const auto* copy = std::get_if<copy_work>(&what.work))
    run_copy(what, *copy, site);
  else if (const auto* mark = std::get_if<event_mark>(&what.work))
    run_event(what, *mark, site);
  else if (const auto* gate = std::get_if<event_gate>(&what.work))
    run_gate(*gate, site);
  else
    ASSAY_CHECK(false, "the end of a stream is its worker's, not the runner's");
}

}  // namespace assay::device
