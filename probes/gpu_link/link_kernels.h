// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of the link probe.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace assay::probes {

/// Shapes: sum_words and fill_words take a multiple of this.
inline constexpr std::uint64_t kernel_block_bytes = 32 << 10;
/// Partial sums: many, so that blocks do not queue for one address.
inline constexpr std::uint32_t partial_sums = 1024;

/// In pinned host memory, which both sides see.
struct alignas(64) hold_flags {
  std::uint32_t go = 0;       ///< set by the host
  std::uint32_t gave_up = 0;  ///< set by the device, where the host did not come
};

/// One thread that spins until `go`, for at most `limit_ns`.
cudaError_t enqueue_hold(cudaStream_t on, hold_flags* flags, std::int64_t limit_ns);

/// words[i] = first + i * step.
cudaError_t enqueue_fill(cudaStream_t on, std::uint64_t* words, std::uint64_t bytes,
                         std::uint64_t first, std::uint64_t step);

/// Adds each word to one of `sums`, by 16-byte loads. Shape of sums: (partial_sums).
cudaError_t enqueue_sum(cudaStream_t on, const std::uint64_t* words, std::uint64_t bytes,
                        std::uint64_t* sums);

}  // namespace assay::probes
