// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A GPU whose memory can be exchanged under its users.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "runtime/device/cuda/cuda_device.h"
#include "runtime/device/cuda/cuda_try.h"
#include "runtime/device/cuda/cuda_virtual_memory.h"
#include "runtime/device/stable_range.h"

namespace assay::test {

/// Passes everything on to `to`, but allocates from stable ranges of its own: each buffer one.
class remapping_device final : public device::device {
 public:
  using buffer = assay::device::buffer;
  using stream = assay::device::stream;
  using event = assay::device::event;
  using stable_range = assay::device::stable_range;

  explicit remapping_device(assay::device::cuda_device& to)
      : to_(to),
        memory_(assay::device::cuda_virtual_memory::create(to.index(), to.memory_limit_bytes())
                    .value()) {}

  result<buffer> allocate(std::uint64_t bytes) override {
    ASSAY_TRY_ASSIGN(auto range, stable_range::reserve(to_, memory_, bytes));
    ASSAY_TRY(range->grow(range->page_count()));
    const buffer made{range->address(), bytes};
    order_.push_back(made);
    ranges_.emplace(made.address, std::move(range));
    return made;
  }
  result<void> free(buffer what) override {
    ranges_.erase(what.address);
    return {};
  }
  std::uint64_t memory_limit_bytes() const override { return to_.memory_limit_bytes(); }
  result<stream> create_stream() override { return to_.create_stream(); }
  result<event> create_event() override { return to_.create_event(); }
  /// `to` knows of no address here.
  result<void> copy_async(stream on, void* destination, const void* source, std::uint64_t bytes,
                          assay::device::copy_direction) override {
    ASSAY_CUDA_TRY(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, to_.native(on)));
    return {};
  }
  result<void> launch(stream on, const assay::device::kernel& what) override {
    return to_.launch(on, what);
  }
  result<void> submit_kernels(stream on, std::uint32_t kernels,
                              const assay::device::native_submit& submit) override {
    return to_.submit_kernels(on, kernels, submit);
  }
  result<void> record_event(stream on, event what) override { return to_.record_event(on, what); }
  result<void> wait_event(stream on, event what) override { return to_.wait_event(on, what); }
  result<bool> is_reached(event what) override { return to_.is_reached(what); }
  result<void> synchronize(stream on) override { return to_.synchronize(on); }
  result<std::int64_t> elapsed_ns(event from, event until) override {
    return to_.elapsed_ns(from, until);
  }
  assay::device::range_label set_range(assay::device::range_label label) noexcept override {
    return to_.set_range(label);
  }
  void set_observer(assay::device::observer* who) noexcept override { to_.set_observer(who); }

  /// Buffers in the order in which they were allocated.
  const std::vector<buffer>& buffers() const { return order_; }

  /// Puts other pages behind every address of a buffer once the stream's work is done; with what
  /// was there, or without. The pages before are held, filled with 0x77: whoever still read them
  /// would read that. How many pages were exchanged.
  result<std::uint32_t> exchange(const buffer& of, stream used_by, bool is_copied) {
    stable_range& range = *ranges_.at(of.address);
    ASSAY_TRY(range.note_use(used_by));
    ASSAY_TRY_ASSIGN(auto aside, stable_range::reserve(to_, memory_, memory_->page_bytes()));
    ASSAY_TRY(to_.synchronize(used_by));
    for (std::uint32_t page = 0; page < range.page_count(); ++page) {
      ASSAY_TRY_ASSIGN(auto fresh, memory_->create_page());
      ASSAY_TRY(aside->map(0, fresh));
      ASSAY_CUDA_TRY(cudaMemset(aside->address(), 0x77, memory_->page_bytes()));
      if (is_copied)
        ASSAY_CUDA_TRY(cudaMemcpy(aside->address(), range.address_of(page), memory_->page_bytes(),
                                  cudaMemcpyDeviceToDevice));
      ASSAY_CUDA_TRY(cudaDeviceSynchronize());
      ASSAY_TRY(aside->unmap(0));
      ASSAY_TRY_ASSIGN(auto before, range.remap(page, std::move(fresh)));
      ASSAY_TRY(aside->map(0, before));
      ASSAY_CUDA_TRY(cudaMemset(aside->address(), 0x77, memory_->page_bytes()));
      ASSAY_CUDA_TRY(cudaDeviceSynchronize());
      ASSAY_TRY(aside->unmap(0));
      held_.push_back(std::move(before));
    }
    return range.page_count();
  }

 private:
  assay::device::cuda_device& to_;
  std::shared_ptr<assay::device::virtual_memory> memory_;
  std::map<std::byte*, std::unique_ptr<stable_range>> ranges_;
  std::vector<buffer> order_;
  std::vector<assay::device::page_pointer> held_;
};

}  // namespace assay::test
