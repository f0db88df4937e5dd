// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_link/link_kernels.h"

namespace assay::probes {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned warps = threads / 32;
// Loads that a thread has in flight; with 256 threads of 16 bytes, 32 KiB a block.
constexpr unsigned loads = 8;
static_assert(threads * loads * sizeof(ulonglong2) == kernel_block_bytes);

__device__ std::int64_t device_clock_ns() {
  std::int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void hold(volatile hold_flags* flags, std::int64_t limit_ns) {
  const std::int64_t start_ns = device_clock_ns();
  while (flags->go == 0) {
    if (device_clock_ns() - start_ns < limit_ns) continue;
    flags->gave_up = 1;
    return;
  }
}

__global__ void fill(ulonglong2* pairs, std::uint64_t first, std::uint64_t step) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * threads * loads + threadIdx.x;
  for (unsigned i = 0; i < loads; ++i) {
    const std::uint64_t pair = at + i * threads;
    pairs[pair] = make_ulonglong2(first + 2 * pair * step, first + (2 * pair + 1) * step);
  }
}

__global__ void sum(const ulonglong2* pairs, unsigned long long* sums) {
  const ulonglong2* from = pairs + std::uint64_t{blockIdx.x} * threads * loads + threadIdx.x;
  ulonglong2 loaded[loads];
#pragma unroll
  for (unsigned i = 0; i < loads; ++i) loaded[i] = __ldcs(from + i * threads);
  unsigned long long mine = 0;
#pragma unroll
  for (unsigned i = 0; i < loads; ++i) mine += loaded[i].x + loaded[i].y;
  for (int apart = 16; apart > 0; apart /= 2) mine += __shfl_down_sync(~0U, mine, apart);
  __shared__ unsigned long long by_warp[warps];
  if (threadIdx.x % 32 == 0) by_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned long long all = 0;
  for (unsigned i = 0; i < warps; ++i) all += by_warp[i];
  atomicAdd(&sums[blockIdx.x % partial_sums], all);
}

unsigned blocks_of(std::uint64_t bytes) {
  return static_cast<unsigned>(bytes / kernel_block_bytes);
}

}  // namespace

cudaError_t enqueue_hold(cudaStream_t on, hold_flags* flags, std::int64_t limit_ns) {
  hold<<<1, 1, 0, on>>>(flags, limit_ns);
  return cudaGetLastError();
}

cudaError_t enqueue_fill(cudaStream_t on, std::uint64_t* words, std::uint64_t bytes,
                         std::uint64_t first, std::uint64_t step) {
  fill<<<blocks_of(bytes), threads, 0, on>>>(reinterpret_cast<ulonglong2*>(words), first, step);
  return cudaGetLastError();
}

cudaError_t enqueue_sum(cudaStream_t on, const std::uint64_t* words, std::uint64_t bytes,
                        std::uint64_t* sums) {
  sum<<<blocks_of(bytes), threads, 0, on>>>(reinterpret_cast<const ulonglong2*>(words),
                                            reinterpret_cast<unsigned long long*>(sums));
  return cudaGetLastError();
}

}  // namespace assay::probes
