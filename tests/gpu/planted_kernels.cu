// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/planted_kernels.h"

namespace assay::test {
namespace {

__device__ std::int64_t planted_clock_ns() {
  std::int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void planted_spin(std::int64_t length_ns, gpu_stamps* at) {
  const std::int64_t begin_ns = planted_clock_ns();
  std::int64_t now_ns = begin_ns;
  while (now_ns - begin_ns < length_ns) now_ns = planted_clock_ns();
  at->begin_ns = begin_ns;
  at->end_ns = now_ns;
}

__global__ void planted_flag(std::uint32_t value, volatile std::uint32_t* flag) {
  if (blockIdx.x != 0) return;
  *flag = value;
  __threadfence_system();
}

}  // namespace

cudaError_t launch_spin(cudaStream_t on, std::int64_t length_ns, gpu_stamps* at) {
  planted_spin<<<1, 1, 0, on>>>(length_ns, at);
  return cudaGetLastError();
}

cudaError_t launch_flag(cudaStream_t on, std::uint32_t value, std::uint32_t* flag) {
  planted_flag<<<2, 1, 0, on>>>(value, flag);
  return cudaGetLastError();
}

}  // namespace assay::test
