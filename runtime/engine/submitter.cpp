// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/submitter.h"

#include <utility>

#include "runtime/telemetry/clock.h"

namespace assay::engine {

using telemetry::counter_id;

result<event_pair> event_pair::create(device::device& on) {
  ASSAY_TRY_ASSIGN(const device::event before, on.create_event());
  ASSAY_TRY_ASSIGN(const device::event after, on.create_event());
  return event_pair{before, after};
}

result<submitter> submitter::create(device::device& on, telemetry::counter_writer& counters) {
  ASSAY_TRY_ASSIGN(const device::stream stream, on.create_stream());
  return submitter(on, counters, stream);
}

result<void> submitter::copy(void* destination, const void* source, std::uint64_t bytes,
                             device::copy_direction direction) {
  ASSAY_TRY(device_->copy_async(stream_, destination, source, bytes, direction));
  ++submissions_;
  return {};
}

result<void> submitter::launch(const device::kernel& what) {
  ASSAY_TRY(device_->launch(stream_, what));
  ++submissions_;
  return {};
}

result<void> submitter::submit_kernels(std::uint32_t kernels, const device::native_submit& submit) {
  ASSAY_TRY(device_->submit_kernels(stream_, kernels, submit));
  ++submissions_;
  return {};
}

result<void> submitter::record(device::event what) {
  ASSAY_TRY(device_->record_event(stream_, what));
  ++submissions_;
  ++events_;
  return {};
}

result<void> submitter::synchronize() {
  const host_time entry = host_now();
  auto waited = device_->synchronize(stream_);
  const std::int64_t wait_ns = host_now() - entry;
  counters_->add(counter_id::device_syncs_count, 1);
  counters_->add(counter_id::device_sync_wait_ns, wait_ns);
  publish();
  return waited;
}

void submitter::publish() {
  counters_->add(counter_id::device_submissions_count, std::exchange(submissions_, 0));
  counters_->add(counter_id::device_events_count, std::exchange(events_, 0));
}

result<std::int64_t> submitter::elapsed_ns(const event_pair& pair) const {
  return device_->elapsed_ns(pair.before, pair.after);
}

}  // namespace assay::engine
