// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Copies of KV pages on the stream that computes, under the ranges that counters claim.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/engine/submitter.h"
#include "runtime/kv/page_copier.h"
#include "runtime/telemetry/range.h"

namespace assay::engine {

/// Ownership: refers to the submitter. Threads: one.
class page_copies final : public kv::page_copier {
 public:
  explicit page_copies(submitter& on) : on_(on) {}

  result<void> copy(void* destination, const void* source, std::uint64_t bytes,
                    device::copy_direction direction) override {
    const device::scoped_range label(on_.device(), range_of(direction));
    return on_.copy(destination, source, bytes, direction);
  }
  result<void> wait() override { return on_.synchronize(); }

 private:
  static telemetry::range range_of(device::copy_direction direction) {
    if (direction == device::copy_direction::d2d) return telemetry::range::kv_copy;
    return direction == device::copy_direction::d2h ? telemetry::range::kv_spill
                                                    : telemetry::range::kv_fill;
  }
  submitter& on_;
};

}  // namespace assay::engine
