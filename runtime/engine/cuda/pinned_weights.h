// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Streamed weights in page-locked host memory, which a GPU's copy engines and kernels reach.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/cuda/pinned_staging.h"
#include "runtime/engine/streamed_source.h"

namespace assay::engine {

/// Each content once, on a boundary of a grant, in one allocation that several threads fill.
/// Kernels may read there too: one address is valid on both sides.
/// Errors of hold: out_of_memory, unavailable: CUDA's.
class pinned_weights final : public streamed_source {
 public:
  result<void> hold(contents wanted) override;
  std::span<const std::byte> content(std::size_t number) const override { return held_.at(number); }
  bool reads_files() const override { return false; }
  std::string words() const override;

  std::uint64_t bytes() const { return memory_ ? memory_->bytes() : 0; }

 private:
  std::optional<device::pinned_buffer> memory_;
  std::vector<std::span<const std::byte>> held_;
  std::int64_t allocation_ns_ = 0;
  std::int64_t fill_ns_ = 0;
};

}  // namespace assay::engine
