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
/// Kernels may read there too: one address is valid on both sides. Where so much may not be taken,
/// or CUDA refuses it, those that only copies read stay where they are, in the mapping of their
/// files, and the device's ring brings them; words() says so.
/// Errors of hold: out_of_memory, unavailable: CUDA's, where not even what kernels read can stand.
class pinned_weights final : public streamed_source {
 public:
  explicit pinned_weights(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  result<void> hold(contents wanted, std::size_t first_read_by_kernels) override;
  std::span<const std::byte> content(std::size_t number) const override { return held_.at(number); }
  bool reads_files() const override { return !refusal_.empty(); }
  std::string words() const override;

 private:
  result<void> stand(contents wanted, std::size_t first);

  std::uint64_t most_bytes_;
  std::optional<device::pinned_buffer> memory_;
  std::vector<std::span<const std::byte>> held_;
  std::string refusal_;  ///< why not all of it stands; empty: it does
  std::int64_t allocation_ns_ = 0;
  std::int64_t fill_ns_ = 0;
};

}  // namespace assay::engine
