// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cuda/cuda_call.h"
#include "probes/gpu_sentinel/gpu_sentinel_probe.h"

namespace assay::probes {
namespace {

__device__ std::int64_t device_clock_ns() {
  std::int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void leave_fingerprint(gpu_fingerprint* at, std::int64_t spin_ns) {
  using counter = unsigned long long;
  using clock = long long;
  const std::int64_t start_ns = device_clock_ns();
  atomicMin(reinterpret_cast<clock*>(&at->first_ns), static_cast<clock>(start_ns));
  if (blockIdx.x == 0) {
    std::int64_t now_ns = start_ns;
    while (now_ns - start_ns < spin_ns) now_ns = device_clock_ns();
    at->spun_ns = now_ns - start_ns;
  }
  atomicMax(reinterpret_cast<clock*>(&at->last_ns), static_cast<clock>(device_clock_ns()));
  __threadfence();
  // Counted where it ends; the last one counts the launch.
  const counter before = atomicAdd(reinterpret_cast<counter*>(&at->blocks_count), counter{1});
  if (before + 1 == gridDim.x)
    atomicAdd(reinterpret_cast<counter*>(&at->launches_count), counter{1});
}

result<void> launch_fingerprint(cudaStream_t on, gpu_fingerprint* at, std::int64_t spin_ns) {
  leave_fingerprint<<<gpu_fingerprint_blocks, 1, 0, on>>>(at, spin_ns);
  ASSAY_CUDA_CALL(cudaGetLastError());
  return {};
}

result<std::shared_ptr<std::byte>> pinned_memory(std::uint64_t bytes) {
  void* address = nullptr;
  ASSAY_CUDA_CALL(cudaHostAlloc(&address, bytes, cudaHostAllocDefault));
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(address),
                                    [](std::byte* what) { static_cast<void>(cudaFreeHost(what)); });
}

}  // namespace

gpu_sentinel_backend on_cuda_stream(void* native_stream) {
  return {[native_stream](gpu_fingerprint* at, std::int64_t spin_ns) {
            return launch_fingerprint(static_cast<cudaStream_t>(native_stream), at, spin_ns);
          },
          pinned_memory};
}

}  // namespace assay::probes
