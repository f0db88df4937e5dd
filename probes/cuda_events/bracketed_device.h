// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A device that passes every call through and has the harness's events recorded between them.
#pragma once

#include <functional>
#include <utility>

#include "probes/cuda_events/range_brackets.h"
#include "probes/cuda_events/wait_brackets.h"
#include "runtime/device/device.h"

namespace assay::probes {

/// Ownership: neither the device nor the brackets are owned; all outlive it.
/// Threads: the one that submits. Errors: as the device behind it; an event that could not be
/// recorded is a span less, and no error of the call. Overhead: range_brackets'.
class bracketed_device final : public assay::device::device {
 public:
  using stream = assay::device::stream;
  using event = assay::device::event;
  using buffer = assay::device::buffer;

  /// Told of each change of the open label: the one before, the one now; 0 for none.
  using label_listener =
      std::function<void(assay::device::range_label, assay::device::range_label)>;

  /// `waits`: null where nobody brackets waits.
  bracketed_device(device& real, range_brackets& brackets, label_listener on_label = {},
                   wait_brackets* waits = nullptr)
      : real_(real), brackets_(brackets), waits_(waits), on_label_(std::move(on_label)) {}

  result<buffer> allocate(std::uint64_t bytes) override { return real_.allocate(bytes); }
  result<void> free(buffer what) override { return real_.free(what); }
  std::uint64_t memory_limit_bytes() const override { return real_.memory_limit_bytes(); }
  result<stream> create_stream() override { return real_.create_stream(); }
  result<event> create_event() override { return real_.create_event(); }
  result<void> copy_async(stream on, void* destination, const void* source, std::uint64_t bytes,
                          assay::device::copy_direction direction) override;
  result<void> launch(stream on, const assay::device::kernel& what) override;
  result<void> submit_kernels(stream on, std::uint32_t kernels,
                              const assay::device::native_submit& submit) override;
  result<void> record_event(stream on, event what) override;
  result<void> wait_event(stream on, event what) override;
  result<bool> is_reached(event what) override { return real_.is_reached(what); }
  result<void> synchronize(stream on) override { return real_.synchronize(on); }
  result<std::int64_t> elapsed_ns(event from, event to) override {
    return real_.elapsed_ns(from, to);
  }
  assay::device::range_label set_range(assay::device::range_label label) noexcept override {
    if (on_label_) on_label_(range_, label);
    range_ = label;
    return real_.set_range(label);
  }
  void set_observer(assay::device::observer* who) noexcept override { real_.set_observer(who); }

 private:
  template <class Call>
  result<void> bracketed(stream on, assay::device::operation_kind kind, Call call);

  device& real_;
  range_brackets& brackets_;
  wait_brackets* waits_;
  label_listener on_label_;
  assay::device::range_label range_ = 0;
};

}  // namespace assay::probes
