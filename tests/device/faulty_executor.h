// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A device whose executor is broken on purpose, for tests that ask whether somebody notices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/device/host_device.h"

namespace assay::device {

enum class executor_fault : std::uint8_t {
  none,
  drop,              ///< the operation never runs, and nothing is reported
  run_twice,         ///< it runs and is reported twice
  copy_half,         ///< only the first half of a copy is moved; the record says so
  stamp_at_enqueue,  ///< the record starts and ends when the operation was enqueued
  reorder,           ///< it runs after the operation that was submitted behind it
};

/// Which operations the fault strikes.
struct fault_plan {
  executor_fault fault = executor_fault::none;
  std::optional<operation_kind> kind = {};       ///< none: every kind
  std::optional<range_label> range = {};         ///< none: every range
  std::optional<copy_direction> direction = {};  ///< as asked; copies only
  std::uint64_t first = 0;  ///< matching operations that are spared at the start
  std::uint64_t every = 1;  ///< then each every-th one is struck
};

/// What the fault did so far, for a test that wants to know that it struck at all.
struct fault_count {
  std::uint64_t matched = 0;
  std::uint64_t struck = 0;
};

/// State that the device's front and its runner share; see faulty_executor.cpp.
class fault_desk;

/// A host device with a faulty executor, behind the plain device interface: submissions,
/// correlation ids and call records are honest; what the workers do is not.
/// Whether an operation is struck is decided when it is submitted, so it is the same in every run.
/// Threads: as host_device.
class faulty_executor final : public device {
 public:
  static result<std::unique_ptr<faulty_executor>> create(const host_device_options& options,
                                                         const fault_plan& plan);
  ~faulty_executor() override;

  fault_count count() const;
  host_device& inner() { return *inner_; }

  result<buffer> allocate(std::uint64_t bytes) override { return inner_->allocate(bytes); }
  result<void> free(buffer what) override { return inner_->free(what); }
  std::uint64_t memory_limit_bytes() const override { return inner_->memory_limit_bytes(); }
  result<stream> create_stream() override { return inner_->create_stream(); }
  result<event> create_event() override { return inner_->create_event(); }

  result<void> copy_async(stream on, void* destination, const void* source, std::uint64_t bytes,
                          copy_direction direction) override;
  result<void> launch(stream on, const kernel& what) override;
  result<void> record_event(stream on, event what) override;
  result<void> wait_event(stream on, event what) override;

  result<bool> is_reached(event what) override;
  result<void> synchronize(stream on) override;
  result<std::int64_t> elapsed_ns(event from, event to) override;
  range_label set_range(range_label label) noexcept override { return inner_->set_range(label); }
  void set_observer(observer* who) noexcept override { inner_->set_observer(who); }

 private:
  faulty_executor(std::shared_ptr<fault_desk> desk, std::unique_ptr<host_device> inner);

  result<void> submit(stream on, operation_kind kind, std::optional<copy_direction> direction,
                      auto&& call);

  std::shared_ptr<fault_desk> desk_;
  std::unique_ptr<host_device> inner_;
};

}  // namespace assay::device
