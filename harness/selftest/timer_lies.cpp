// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Timers that measure something else than the work.
#include <algorithm>
#include <utility>
#include <vector>

#include "harness/selftest/lie.h"

namespace assay::selftest {
namespace {

using id = telemetry::counter_id;

// What a timer is meant for: calls of one kind and range, and the counter that it feeds.
struct timed_work {
  device::operation_kind kind;
  telemetry::range range;
  id counter;

  bool is_of(const device_call& call) const {
    return call.kind == kind && call.range == static_cast<device::range_label>(range);
  }
};

constexpr timed_work weight_copies{device::operation_kind::copy, telemetry::range::weights,
                                   id::weights_h2d_ns};
constexpr timed_work page_copies{device::operation_kind::copy, telemetry::range::paging,
                                 id::paging_h2d_ns};
constexpr timed_work step_launches{device::operation_kind::launch, telemetry::range::compute,
                                   id::compute_device_ns};

// Takes its own clock reads around the runtime's calls, as the historical timer did, and publishes
// them where the honest instrument publishes the event pair.
class host_side_timer : public instrument {
 public:
  host_side_timer(const timed_work& of, strength how) : of_(of), how_(how) {}

  void add(id counter, std::int64_t amount) noexcept override {
    instrument::add(counter, counter == of_.counter ? published(amount) : amount);
  }
  void set(id counter, std::int64_t value) noexcept override {
    instrument::set(counter, counter == of_.counter ? published(value) : value);
  }

 protected:
  const timed_work of_;
  std::int64_t measured_ns_ = 0;
  std::int64_t first_start_ns_ = 0;

 private:
  // Four fifths of the work are where the rule's own precondition ends: just above it the reading
  // is still wrong, but it is no longer told from an enqueue time.
  std::int64_t published(std::int64_t true_ns) {
    first_start_ns_ = 0;
    const std::int64_t measured_ns = std::exchange(measured_ns_, 0);
    return how_ == strength::gross ? measured_ns : true_ns * 82 / 100;
  }

  strength how_;
};

class enqueue_timer final : public host_side_timer {
 public:
  using host_side_timer::host_side_timer;
  void on_call(const device_call& call, device::device&) noexcept override {
    if (of_.is_of(call)) measured_ns_ += call.end_ns - call.start_ns;
  }
};

class fence_timer final : public host_side_timer {
 public:
  using host_side_timer::host_side_timer;
  void on_call(const device_call& call, device::device& real) noexcept override {
    if (of_.is_of(call) && first_start_ns_ == 0) first_start_ns_ = call.start_ns;
    const bool is_fence = call.kind == device::operation_kind::event_record &&
                          first_start_ns_ != 0 && measured_ns_ == 0;
    if (!is_fence) return;
    // Asks whether the event was reached and takes the answer, whichever it is, for the end.
    static_cast<void>(real.is_reached(call.event));
    measured_ns_ = host_now().ns - first_start_ns_;
  }
};

// What two events say between which their stream did nothing; or all of the time.
class idle_pair_timer final : public instrument {
 public:
  explicit idle_pair_timer(strength how) : how_(how) {}
  void add(id counter, std::int64_t amount) noexcept override {
    const bool is_idle = counter == id::compute_device_ns && how_ == strength::gross;
    instrument::add(counter, is_idle ? idle_pair_ns : amount);
  }

 private:
  static constexpr std::int64_t idle_pair_ns = 1'600;
  strength how_;
};

// A captured event is a dependency and has no time: the query fails, and a shim makes 0 of it. Just
// inside, of the step that was captured alone.
class captured_event final : public instrument {
 public:
  explicit captured_event(strength how) : how_(how) {}
  void add(id counter, std::int64_t amount) noexcept override {
    const bool is_captured =
        counter == id::compute_device_ns && (how_ == strength::gross || seen_++ == 0);
    instrument::add(counter, is_captured ? 0 : amount);
  }

 private:
  strength how_;
  int seen_ = 0;
};

// The copies come out of memory that is not pinned, as their records say, and the rate is that of a
// pinned link. Just inside, memory and rate are what they are, the rate one in a hundred too high.
class pageable_for_pinned final : public instrument {
 public:
  explicit pageable_for_pinned(strength how) : how_(how) {}
  void set_real(id counter, double value) noexcept override {
    instrument::set_real(counter,
                         counter == id::weights_h2d_bytes_per_s ? published(value) : value);
  }
  std::span<const assay_record> filter(std::span<const assay_record> seen,
                                       std::vector<assay_record>& kept) override {
    if (how_ != strength::gross) return seen;
    for (assay_record record : seen) {
      if (record.kind == ASSAY_ACTIVITY && record.op == ASSAY_OP_COPY &&
          record.range == static_cast<std::uint16_t>(telemetry::range::weights))
        record.flags |= ASSAY_PAGEABLE;
      kept.push_back(record);
    }
    return kept;
  }

 private:
  // Pinned copies reach 55 GB/s over a link of the fifth generation, pageable ones 7.8 (H200,
  // 2026-12-02).
  static constexpr double pinned_bytes_per_s = 50e9;
  double published(double true_rate) const {
    return how_ == strength::gross ? std::max(pinned_bytes_per_s, 1.1 * true_rate)
                                   : 1.01 * true_rate;
  }

  strength how_;
};

// Publishes one counter multiplied by a factor.
class scaled final : public instrument {
 public:
  scaled(id subject, double factor) : subject_(subject), factor_(factor) {}

  void add(id counter, std::int64_t amount) noexcept override {
    instrument::add(counter, counter == subject_ ? scale(amount) : amount);
  }
  void set(id counter, std::int64_t value) noexcept override {
    instrument::set(counter, counter == subject_ ? scale(value) : value);
  }
  void set_real(id counter, double value) noexcept override {
    instrument::set_real(counter, counter == subject_ ? value * factor_ : value);
  }

 private:
  std::int64_t scale(std::int64_t value) const {
    return static_cast<std::int64_t>(static_cast<double>(value) * factor_);
  }
  id subject_;
  double factor_;
};

}  // namespace

std::unique_ptr<instrument> make_enqueue_timer(strength how) {
  return std::make_unique<enqueue_timer>(weight_copies, how);
}

std::unique_ptr<instrument> make_page_timer(strength how) {
  return std::make_unique<enqueue_timer>(page_copies, how);
}

std::unique_ptr<instrument> make_fence_timer(strength how) {
  return std::make_unique<fence_timer>(weight_copies, how);
}

std::unique_ptr<instrument> make_launch_timer(strength how) {
  return std::make_unique<enqueue_timer>(step_launches, how);
}

std::unique_ptr<instrument> make_launch_fence_timer(strength how) {
  return std::make_unique<fence_timer>(step_launches, how);
}

std::unique_ptr<instrument> make_idle_pair_timer(strength how) {
  return std::make_unique<idle_pair_timer>(how);
}

std::unique_ptr<instrument> make_captured_event(strength how) {
  return std::make_unique<captured_event>(how);
}

std::unique_ptr<instrument> make_pageable_for_pinned(strength how) {
  return std::make_unique<pageable_for_pinned>(how);
}

// A million: whatever the machine, and however it was disturbed, no memory carries it. 1 % stays
// inside the 2 % that two honest clocks may differ.
std::unique_ptr<instrument> make_rate_above_link(strength how) {
  return std::make_unique<scaled>(id::weights_h2d_bytes_per_s, how == strength::gross ? 1e6 : 1.01);
}

std::unique_ptr<instrument> make_ms_for_us(strength how) {
  return std::make_unique<scaled>(id::compute_device_ns, how == strength::gross ? 1000.0 : 1.01);
}

std::unique_ptr<instrument> make_negative_duration(strength how) {
  // Half a microsecond short a step is within the 2 us that a bracket may be off.
  return std::make_unique<scaled>(id::inputs_h2d_ns, how == strength::gross ? -1.0 : 0.5);
}

std::unique_ptr<instrument> make_bytes_doubled(strength how) {
  return std::make_unique<scaled>(id::inputs_h2d_bytes, how == strength::gross ? 2.0 : 1.0);
}

}  // namespace assay::selftest
