// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Hopper's bulk copies, the barriers that they complete on, and the edges between kernels that may
// overlap. PTX ISA 8.0: mbarrier, cp.async.bulk, griddepcontrol.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::ops::cuda {

__device__ __forceinline__ std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

__device__ __forceinline__ void barrier_init(std::uint64_t* barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/// Makes initialised barriers visible to the engine that copies.
__device__ __forceinline__ void barrier_init_done() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void barrier_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ __forceinline__ void barrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

__device__ __forceinline__ bool barrier_try_wait(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
      "selp.u32 %0, 1, 0, complete;\n"
      "}\n"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}

/// Cycles after which a wait counts as one that cannot end: ten seconds.
inline constexpr long long hopeless_cycles = 20'000'000'000;

/// Waits for the phase of `parity` to end. A wait that cannot end is our own mistake: it traps,
/// where it would otherwise hold the device for ever.
__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
  long long begin = 0;
  for (std::uint32_t tries = 1; !barrier_try_wait(barrier, parity); ++tries) {
    if (tries % 1024 != 0) continue;  // the clock is slow to read
    const long long now = clock64();
    if (begin == 0) begin = now;
    if (now - begin > hopeless_cycles) __trap();
  }
}

/// Copies to this block's shared memory; both ends and the size are multiples of 16.
__device__ __forceinline__ void bulk_copy(void* to, const void* from, std::uint32_t bytes,
                                          std::uint64_t* completes) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(completes))
      : "memory");
}

/// Asks for memory to be brought into L2; the size is a multiple of 16.
__device__ __forceinline__ void prefetch_l2(const void* from, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
               "r"(bytes)
               : "memory");
}

/// Lets the next kernel of the stream start its own preparation.
__device__ __forceinline__ void allow_next_kernel() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/// Waits until the kernel before has ended and its writes are visible. Before this a kernel reads
/// what no kernel of the step writes: weights, tables, and rows that earlier steps cached.
__device__ __forceinline__ void wait_for_previous_kernel() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

/// A barrier of some of a block's warps. Id 0 with all threads is __syncthreads().
__device__ __forceinline__ void warps_barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Counts as having come to it, without waiting.
__device__ __forceinline__ void warps_barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace assay::ops::cuda
