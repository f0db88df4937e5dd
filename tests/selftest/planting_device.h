// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A host device on which things of known length happen in chosen decode steps, and which stamps
// everything that happens by clock reads of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/device/host_device.h"
#include "tests/selftest/stopped_call.h"

namespace assay::selftest_test {

/// What is planted, named by the part of a step that must show it.
enum class planted : std::uint8_t {
  launch,      ///< a kernel that keeps its worker until a clock says so
  h2d,         ///< a copy
  d2h,         ///< a copy
  gap,         ///< the stream is held up before work whose call has returned
  submission,  ///< a call that submits does not return
  wait,        ///< the stream is held up behind all work, while the caller waits
  unclaimed,   ///< the caller sleeps outside of any call, and the device has nothing to do
  fifth,       ///< likewise behind the wait, for a quarter of what the step took until then
};
inline constexpr std::size_t planted_count = 8;
std::string_view to_string(planted what);

struct plant {
  std::uint64_t step = 0;  ///< decode step of the run's only request
  planted what = planted::launch;
  std::int64_t length_ns = 0;  ///< at least; of copies about; of a fifth the step says it
};

/// As it came about. What the scheduler added to the plant is in it.
struct planted_stamp {
  plant wanted;
  stamps at;
};

/// A call of the device, by stamps around it on the caller's thread.
struct witnessed_call {
  std::uint64_t sequence = 0;  ///< of the operation that it enqueued, from 1; 0: it waited
  device::operation_kind kind;
  device::copy_direction direction;
  stamps at;
};

/// An operation, by stamps around it on the worker's thread.
struct witnessed_work {
  std::uint64_t sequence = 0;
  stamps at;
};

/// What was planted, and everything that happened on the stream of the steps, seen from between
/// the runtime and the device and from between the device and its executor: neither side's clock
/// reads are in it.
struct witness {
  std::vector<planted_stamp> plants;
  std::vector<witnessed_call> calls;  ///< in order
  std::vector<witnessed_work> works;  ///< in order
  std::uint64_t elsewhere = 0;        ///< calls for other streams since the first request began
};

struct planting_desk;

/// Plants once a decode step: behind the copy of the inputs when that is done, so that the device
/// has nothing left to do and what is planted overlaps nothing; or at the step's end. Steps are
/// told by the copies of their inputs; the prefill is one pass. Threads: one submits. Errors: as
/// the device's.
class planting_device final : public device::device {
 public:
  /// `seen` may be read once the device is gone.
  static result<std::unique_ptr<planting_device>> create(
      const assay::device::host_device_options& options, std::vector<plant> plan,
      std::shared_ptr<witness> seen);
  ~planting_device() override;

  assay::device::host_device& inner() { return *inner_; }

  result<assay::device::buffer> allocate(std::uint64_t bytes) override {
    return inner_->allocate(bytes);
  }
  result<void> free(assay::device::buffer what) override { return inner_->free(what); }
  std::uint64_t memory_limit_bytes() const override { return inner_->memory_limit_bytes(); }
  result<assay::device::stream> create_stream() override { return inner_->create_stream(); }
  result<assay::device::event> create_event() override { return inner_->create_event(); }
  result<void> copy_async(assay::device::stream on, void* destination, const void* source,
                          std::uint64_t bytes, assay::device::copy_direction direction) override;
  result<void> launch(assay::device::stream on, const assay::device::kernel& what) override;
  result<void> record_event(assay::device::stream on, assay::device::event what) override;
  result<void> wait_event(assay::device::stream on, assay::device::event what) override;
  result<bool> is_reached(assay::device::event what) override { return inner_->is_reached(what); }
  result<void> synchronize(assay::device::stream on) override;
  result<std::int64_t> elapsed_ns(assay::device::event from, assay::device::event to) override {
    return inner_->elapsed_ns(from, to);
  }
  assay::device::range_label set_range(assay::device::range_label label) noexcept override {
    range_ = label;
    return inner_->set_range(label);
  }
  void set_observer(assay::device::observer* who) noexcept override { inner_->set_observer(who); }

 private:
  planting_device(std::shared_ptr<planting_desk> desk,
                  std::unique_ptr<assay::device::host_device> inner, std::vector<plant> plan);

  template <class Call>
  result<void> seen(assay::device::stream on, assay::device::operation_kind kind,
                    assay::device::copy_direction direction, Call call);
  result<void> begin_step(assay::device::stream on, assay::device::event inputs_done);
  result<void> plant_now(assay::device::stream on, const plant& what);
  result<void> copy_of(assay::device::stream on, const plant& what);

  std::shared_ptr<planting_desk> desk_;
  std::unique_ptr<assay::device::host_device> inner_;
  std::vector<plant> plan_;
  assay::device::range_label range_ = 0;
  std::uint64_t input_events_ = 0;
  std::optional<plant> held_back_;  ///< for the end of the step that is open
  std::int64_t pass_begin_ns_ = 0;  ///< of the open step's first call
  std::optional<stopping_kernel> stopping_;
  assay::device::buffer there_;
  std::vector<std::byte> here_;
};

}  // namespace assay::selftest_test
