// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A device that refuses one call of its life, to see what its caller makes of that.
#pragma once

#include <string>

#include "runtime/device/device.h"

namespace assay::engine_test {

/// Passes everything on to `to` but the call with the given index, which fails. Waits and frees are
/// not refused: nothing could be taken down without them.
class refusing_device final : public device::device {
 public:
  using buffer = assay::device::buffer;
  using stream = assay::device::stream;
  using event = assay::device::event;

  refusing_device(assay::device::device& to, int refused) : to_(to), left_(refused) {}
  bool has_refused() const { return has_refused_; }
  /// Accepted since the last wait: what may still be reading or writing memory.
  int unwaited() const { return unwaited_; }

  result<buffer> allocate(std::uint64_t bytes) override {
    if (refuses()) return ASSAY_FAIL(out_of_memory, "refused: allocate");
    return to_.allocate(bytes);
  }
  result<void> free(buffer what) override { return to_.free(what); }
  std::uint64_t memory_limit_bytes() const override { return to_.memory_limit_bytes(); }
  result<stream> create_stream() override {
    if (refuses()) return ASSAY_FAIL(usage, "refused: create_stream");
    return to_.create_stream();
  }
  result<event> create_event() override {
    if (refuses()) return ASSAY_FAIL(usage, "refused: create_event");
    return to_.create_event();
  }
  result<void> copy_async(stream on, void* destination, const void* source, std::uint64_t bytes,
                          assay::device::copy_direction direction) override {
    if (refuses()) return ASSAY_FAIL(usage, "refused: copy_async");
    ++unwaited_;
    return to_.copy_async(on, destination, source, bytes, direction);
  }
  result<void> launch(stream on, const assay::device::kernel& what) override {
    if (refuses()) return ASSAY_FAIL(usage, "refused: launch");
    ++unwaited_;
    return to_.launch(on, what);
  }
  result<void> submit_kernels(stream on, std::uint32_t kernels,
                              const assay::device::native_submit& submit) override {
    if (refuses()) return ASSAY_FAIL(usage, "refused: submit_kernels");
    ++unwaited_;
    return to_.submit_kernels(on, kernels, submit);
  }
  result<void> record_event(stream on, event what) override {
    if (refuses()) return ASSAY_FAIL(usage, "refused: record_event");
    ++unwaited_;
    return to_.record_event(on, what);
  }
  result<void> wait_event(stream on, event what) override { return to_.wait_event(on, what); }
  result<bool> is_reached(event what) override { return to_.is_reached(what); }
  result<void> synchronize(stream on) override {
    unwaited_ = 0;
    return to_.synchronize(on);
  }
  result<std::int64_t> elapsed_ns(event from, event until) override {
    if (refuses()) return ASSAY_FAIL(usage, "refused: elapsed_ns");
    return to_.elapsed_ns(from, until);
  }
  assay::device::range_label set_range(assay::device::range_label label) noexcept override {
    return to_.set_range(label);
  }
  void set_observer(assay::device::observer* who) noexcept override { to_.set_observer(who); }

 private:
  bool refuses() {
    if (left_-- != 0) return false;
    has_refused_ = true;
    return true;
  }

  assay::device::device& to_;
  int left_;
  int unwaited_ = 0;
  bool has_refused_ = false;
};

}  // namespace assay::engine_test
