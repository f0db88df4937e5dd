// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A device that passes every call through and shows it to the instruments beside the runtime.
#pragma once

#include <span>
#include <vector>

#include "harness/selftest/instrument.h"
#include "runtime/device/device.h"

namespace assay::selftest {

/// Ownership: neither the device nor the instruments are owned; both must outlive it.
/// Threads and errors: as the device behind it. Overhead: two clock reads a submission.
class tapped_device final : public assay::device::device {
 public:
  tapped_device(assay::device::device& real, std::vector<instrument*> instruments)
      : real_(real), instruments_(std::move(instruments)) {}

  result<assay::device::buffer> allocate(std::uint64_t bytes) override;
  result<void> free(assay::device::buffer what) override;
  std::uint64_t memory_limit_bytes() const override;
  result<assay::device::stream> create_stream() override;
  result<assay::device::event> create_event() override;
  result<void> copy_async(assay::device::stream on, void* destination, const void* source,
                          std::uint64_t bytes, assay::device::copy_direction direction) override;
  result<void> launch(assay::device::stream on, const assay::device::kernel& what) override;
  result<void> submit_kernels(assay::device::stream on, std::uint32_t kernels,
                              const assay::device::native_submit& submit) override;
  result<void> record_event(assay::device::stream on, assay::device::event what) override;
  result<void> wait_event(assay::device::stream on, assay::device::event what) override;
  result<bool> is_reached(assay::device::event what) override;
  result<void> synchronize(assay::device::stream on) override;
  result<std::int64_t> elapsed_ns(assay::device::event from, assay::device::event to) override;
  assay::device::range_label set_range(assay::device::range_label label) noexcept override;
  void set_observer(assay::device::observer* who) noexcept override;

 private:
  template <class Call>
  result<void> shown(assay::device::operation_kind kind, assay::device::copy_direction direction,
                     assay::device::event event, Call call);

  assay::device::device& real_;
  std::vector<instrument*> instruments_;
  assay::device::range_label range_ = 0;
};

}  // namespace assay::selftest
