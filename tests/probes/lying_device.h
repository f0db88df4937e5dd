// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A device that accepts everything and does something else.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "runtime/device/device.h"

namespace assay::test {

enum class device_lie {
  none,
  drops_h2d,
  drops_d2h,
  copies_all_but_one_byte,
  leaves_a_hole,  ///< of 512 bytes, in the middle
  drops_launches,
  runs_one_block_less,
  runs_launches_twice,
  launches_before_the_copy,
  refuses_launches,
};

class lying_device final : public device::device {
 public:
  using stream = assay::device::stream;
  using event = assay::device::event;
  using buffer = assay::device::buffer;

  explicit lying_device(device& honest) : honest_(honest) {}

  device_lie lie = device_lie::none;

  result<void> copy_async(stream on, void* destination, const void* source, std::uint64_t bytes,
                          assay::device::copy_direction direction) override {
    const bool is_h2d = direction == assay::device::copy_direction::h2d;
    if (lie == (is_h2d ? device_lie::drops_h2d : device_lie::drops_d2h)) return {};
    if (lie == device_lie::copies_all_but_one_byte && is_h2d) --bytes;
    if (lie == device_lie::launches_before_the_copy && is_h2d) {
      late_ = late_copy{destination, source, bytes};
      return {};
    }
    if (lie == device_lie::leaves_a_hole && is_h2d) {
      const std::uint64_t half = bytes / 2;
      ASSAY_TRY(honest_.copy_async(on, destination, source, half, direction));
      return honest_.copy_async(on, static_cast<std::byte*>(destination) + half + 512,
                                static_cast<const std::byte*>(source) + half + 512,
                                bytes - half - 512, direction);
    }
    return honest_.copy_async(on, destination, source, bytes, direction);
  }

  result<void> launch(stream on, const assay::device::kernel& what) override {
    if (lie == device_lie::drops_launches) return {};
    if (lie == device_lie::refuses_launches)
      return ASSAY_FAIL(usage, "device: no launches today; come back tomorrow");
    if (lie == device_lie::runs_launches_twice) ASSAY_TRY(honest_.launch(on, what));
    auto changed = what;
    if (lie == device_lie::runs_one_block_less) --changed.blocks;
    ASSAY_TRY(honest_.launch(on, changed));
    if (!late_) return {};
    const auto copy = *std::exchange(late_, std::nullopt);
    return honest_.copy_async(on, copy.destination, copy.source, copy.bytes,
                              assay::device::copy_direction::h2d);
  }

  result<buffer> allocate(std::uint64_t bytes) override { return honest_.allocate(bytes); }
  result<void> free(buffer what) override { return honest_.free(what); }
  std::uint64_t memory_limit_bytes() const override { return honest_.memory_limit_bytes(); }
  result<stream> create_stream() override { return honest_.create_stream(); }
  result<event> create_event() override { return honest_.create_event(); }
  result<void> record_event(stream on, event what) override {
    return honest_.record_event(on, what);
  }
  result<void> wait_event(stream on, event what) override { return honest_.wait_event(on, what); }
  result<bool> is_reached(event what) override { return honest_.is_reached(what); }
  result<void> synchronize(stream on) override { return honest_.synchronize(on); }
  result<std::int64_t> elapsed_ns(event from, event to) override {
    return honest_.elapsed_ns(from, to);
  }
  assay::device::range_label set_range(assay::device::range_label label) noexcept override {
    return honest_.set_range(label);
  }
  void set_observer(assay::device::observer* who) noexcept override { honest_.set_observer(who); }

 private:
  struct late_copy {
    void* destination;
    const void* source;
    std::uint64_t bytes;
  };

  device& honest_;
  std::optional<late_copy> late_;
};

}  // namespace assay::test
