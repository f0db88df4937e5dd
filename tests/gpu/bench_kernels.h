// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the decode benchmark runs beside the step: filling, reading, and doing nothing.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace assay::bench {

/// Fills with bf16 values, uniform in [-scale, scale), that differ at each place.
cudaError_t fill_random(cudaStream_t on, void* at, std::uint64_t bytes, float scale,
                        std::uint32_t seed);
/// Fills with the bf16 value 1.
cudaError_t fill_ones(cudaStream_t on, void* at, std::uint64_t bytes);

struct read_shape {
  std::uint32_t blocks = 0;
  std::uint32_t threads = 0;
};

/// Reads `bytes` bytes, a multiple of 128 KiB, 16 bytes a load. `sink` (1) is written where all
/// bits of all of it add up to a value that they hardly will: without a use the loads would go.
cudaError_t read_all(cudaStream_t on, const read_shape& shape, const void* from,
                     std::uint64_t bytes, std::uint32_t* sink);

/// A kernel that only waits for the one before; `may_overlap` is that edge.
cudaError_t do_nothing(cudaStream_t on, std::uint32_t blocks, bool may_overlap);

}  // namespace assay::bench
