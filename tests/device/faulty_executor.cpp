// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/device/faulty_executor.h"

#include <array>
#include <utility>

#include "runtime/device/host_runner.h"
#include "tests/device/fault_desk.h"

namespace assay::device {
namespace {

/// Passes records on with other times.
class restamping_observer final : public observer {
 public:
  restamping_observer(observer& next, const ticket& stamps) : next_(next), stamps_(stamps) {}
  void on_submission(const submission_record& record) noexcept override {
    next_.on_submission(record);
  }
  void on_activity(const activity_record& record) noexcept override {
    activity_record changed = record;
    changed.start_ns = stamps_.enqueue_start_ns;
    changed.end_ns = stamps_.enqueue_end_ns;
    next_.on_activity(changed);
  }
  void on_memory(const memory_record& record) noexcept override { next_.on_memory(record); }

 private:
  observer& next_;
  ticket stamps_;
};

class faulty_runner final : public operation_runner {
 public:
  explicit faulty_runner(std::shared_ptr<fault_desk> desk) : desk_(std::move(desk)) {}

  void run(const operation& what, const worker_site& site) override {
    const ticket mine = desk_->take(site.stream);
    std::optional<operation>& held = held_[site.stream];
    if (held) {
      honest_.run(what, site);
      honest_.run(*held, site);
      held.reset();
      return;
    }
    if (!mine.is_struck)
      honest_.run(what, site);
    else
      strike(what, mine, site, held);
  }

 private:
  void strike(const operation& what, const ticket& mine, const worker_site& site,
              std::optional<operation>& held) {
    switch (desk_->plan().fault) {
      case executor_fault::none:
      case executor_fault::drop:
        return;
      case executor_fault::run_twice:
        honest_.run(what, site);
        honest_.run(what, site);
        return;
      case executor_fault::copy_half:
        run_half(what, site);
        return;
      case executor_fault::stamp_at_enqueue:
        run_restamped(what, mine, site);
        return;
      case executor_fault::reorder:
        if (desk_->wait_for_successor(site.stream))
          held = what;
        else
          honest_.run(what, site);
        return;
    }
  }

  void run_half(const operation& what, const worker_site& site) {
    operation half = what;
    if (auto* copy = std::get_if<copy_work>(&half.work)) copy->bytes /= 2;
    honest_.run(half, site);
  }

  void run_restamped(const operation& what, const ticket& mine, const worker_site& site) {
    // The honest stamp that follows is of the same record of the event, and changes nothing.
    if (const auto* mark = std::get_if<event_mark>(&what.work))
      mark->what->stamp(mark->record, event_time{mine.enqueue_end_ns});
    if (site.reports_to == nullptr) return honest_.run(what, site);
    restamping_observer restamped(*site.reports_to, mine);
    worker_site tampered = site;
    tampered.reports_to = &restamped;
    honest_.run(what, tampered);
  }

  std::shared_ptr<fault_desk> desk_;
  host_runner honest_;
  // By stream; each entry is its own worker's.
  std::array<std::optional<operation>, host_device::stream_capacity> held_;
};

}  // namespace

result<std::unique_ptr<faulty_executor>> faulty_executor::create(const host_device_options& options,
                                                                 const fault_plan& plan) {
  if (plan.every == 0) return ASSAY_FAIL(usage, "fault plan: every 0 operations; give 1 or more");
  auto desk = std::make_shared<fault_desk>(plan);
  ASSAY_TRY_ASSIGN(auto inner, host_device::create(options, std::make_unique<faulty_runner>(desk)));
  return std::unique_ptr<faulty_executor>(new faulty_executor(std::move(desk), std::move(inner)));
}

faulty_executor::faulty_executor(std::shared_ptr<fault_desk> desk,
                                 std::unique_ptr<host_device> inner)
    : desk_(std::move(desk)), inner_(std::move(inner)) {}

faulty_executor::~faulty_executor() {
  desk_->hurry();
}

fault_count faulty_executor::count() const {
  return desk_->count();
}

result<void> faulty_executor::submit(stream on, operation_kind kind,
                                     std::optional<copy_direction> direction, auto&& call) {
  const range_label open = inner_->set_range(0);
  inner_->set_range(open);
  desk_->push(on.index, {kind, open, direction});
  result<void> answer = call();
  if (!answer) desk_->withdraw(on.index);
  return answer;
}

result<void> faulty_executor::copy_async(stream on, void* destination, const void* source,
                                         std::uint64_t bytes, copy_direction direction) {
  return submit(on, operation_kind::copy, direction,
                [&] { return inner_->copy_async(on, destination, source, bytes, direction); });
}

result<void> faulty_executor::launch(stream on, const kernel& what) {
  return submit(on, operation_kind::launch, {}, [&] { return inner_->launch(on, what); });
}

result<void> faulty_executor::record_event(stream on, event what) {
  return submit(on, operation_kind::event_record, {},
                [&] { return inner_->record_event(on, what); });
}

result<void> faulty_executor::wait_event(stream on, event what) {
  return submit(on, operation_kind::event_wait, {}, [&] { return inner_->wait_event(on, what); });
}

result<bool> faulty_executor::is_reached(event what) {
  desk_->hurry();
  return inner_->is_reached(what);
}

result<std::int64_t> faulty_executor::elapsed_ns(event from, event to) {
  desk_->hurry();
  return inner_->elapsed_ns(from, to);
}

result<void> faulty_executor::synchronize(stream on) {
  desk_->hurry();
  return inner_->synchronize(on);
}

}  // namespace assay::device
