// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_link/arithmetic_kernels.h"

namespace assay::probes {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned chains = 8;
// Of each multiprocessor: 64 warps hide what a multiply-add takes, 32 with the more registers of a
// fragment.
constexpr unsigned f32_blocks_each = 8;
constexpr unsigned tensor_blocks_each = 4;

// A fragment of m16n8k16: 16 x 8 results, each a sum of 16 products; 4 results a thread.
constexpr unsigned fragment_results = 4;
constexpr unsigned fragment_depth = 16;
constexpr unsigned bf16_ones = 0x3f803f80;

// What multiplies and what is added come at run time: nothing is known of them.
__global__ void __launch_bounds__(threads)
    multiply_adds(std::uint32_t rounds, float factor, float term, unsigned long long* sum) {
  float chain[chains] = {};
#pragma unroll 16  // a loop's own instructions would take the place of three in eleven
  for (std::uint32_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned i = 0; i < chains; ++i) chain[i] = fmaf(chain[i], factor, term);
  }
  unsigned long long mine = 0;
#pragma unroll
  for (unsigned i = 0; i < chains; ++i) mine += static_cast<unsigned long long>(chain[i]);
  atomicAdd(sum, mine);
}

__global__ void __launch_bounds__(threads)
    tensor_products(std::uint32_t rounds, unsigned a, unsigned b, unsigned long long* sum) {
  float chain[chains][fragment_results] = {};
#pragma unroll 4
  for (std::uint32_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned i = 0; i < chains; ++i)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
          "{%5,%5}, {%0,%1,%2,%3};"
          : "+f"(chain[i][0]), "+f"(chain[i][1]), "+f"(chain[i][2]), "+f"(chain[i][3])
          : "r"(a), "r"(b));
  }
  unsigned long long mine = 0;
#pragma unroll
  for (unsigned i = 0; i < chains; ++i)
#pragma unroll
    for (unsigned j = 0; j < fragment_results; ++j)
      mine += static_cast<unsigned long long>(chain[i][j]);
  atomicAdd(sum, mine);
}

}  // namespace

std::uint32_t f32_blocks(std::uint32_t multiprocessors) {
  return multiprocessors * f32_blocks_each;
}

std::uint32_t tensor_blocks(std::uint32_t multiprocessors) {
  return multiprocessors * tensor_blocks_each;
}

double arithmetic_work::f32_operations() const {
  return 2.0 * blocks * threads * chains * rounds;
}

double arithmetic_work::tensor_operations() const {
  return 2.0 * blocks * threads * chains * fragment_results * fragment_depth * rounds;
}

std::uint64_t arithmetic_work::f32_answer() const {
  return std::uint64_t{blocks} * threads * chains * rounds;
}

std::uint64_t arithmetic_work::tensor_answer() const {
  return std::uint64_t{blocks} * threads * chains * fragment_results * fragment_depth * rounds;
}

cudaError_t enqueue_multiply_adds(cudaStream_t on, const arithmetic_work& work,
                                  std::uint64_t* sum) {
  multiply_adds<<<work.blocks, threads, 0, on>>>(work.rounds, 1.0F, 1.0F,
                                                 reinterpret_cast<unsigned long long*>(sum));
  return cudaGetLastError();
}

cudaError_t enqueue_tensor_products(cudaStream_t on, const arithmetic_work& work,
                                    std::uint64_t* sum) {
  tensor_products<<<work.blocks, threads, 0, on>>>(work.rounds, bf16_ones, bf16_ones,
                                                   reinterpret_cast<unsigned long long*>(sum));
  return cudaGetLastError();
}

}  // namespace assay::probes
