// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Multiply-adds that load nothing: what a GPU's CUDA cores and tensor cores do at all.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace assay::probes {

/// What a launch does and must leave behind.
struct arithmetic_work {
  std::uint32_t blocks = 0;
  std::uint32_t rounds = 0;

  /// Two a multiply-add.
  double f32_operations() const;
  double tensor_operations() const;
  /// The sum over all results: each chain starts at 0 and gains the same whole number each round.
  std::uint64_t f32_answer() const;
  std::uint64_t tensor_answer() const;
};

/// Blocks that fill a GPU of so many multiprocessors.
std::uint32_t f32_blocks(std::uint32_t multiprocessors);
std::uint32_t tensor_blocks(std::uint32_t multiprocessors);

/// f32 multiply-adds, lane * 1 + 1, in 8 independent chains a thread; adds each chain's result to
/// *sum. Rounds: at most 2^24, beyond which an f32 does not take another 1.
cudaError_t enqueue_multiply_adds(cudaStream_t on, const arithmetic_work& work, std::uint64_t* sum);

/// mma.sync.m16n8k16 of bf16 with sums in f32, ones times ones, in 8 independent chains a warp;
/// adds each element of each result to *sum. Rounds: at most 2^16, so that 16 more are exact.
cudaError_t enqueue_tensor_products(cudaStream_t on, const arithmetic_work& work,
                                    std::uint64_t* sum);

}  // namespace assay::probes
