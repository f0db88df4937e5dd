// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The launch of a kernel of prefill. Each calls wait_for_previous_kernel() before it reads what
// another one wrote.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "runtime/ops/cuda/once_a_device.h"
#include "runtime/ops/cuda/prefill_kernels.h"

namespace assay::ops::cuda {

struct launch_size {
  dim3 grid;
  std::uint32_t threads = 0;
  std::uint32_t shared_bytes = 0;
};

/// Of `told` each kernel has one of its own.
template <class... Parameters>
cudaError_t allow_dynamic_memory(once_a_device& told, void (*kernel)(Parameters...),
                                 std::uint32_t bytes) {
  return told.on_current([&] {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
  });
}

template <class... Parameters>
cudaError_t launch_in_pass(const pass_site& site, const launch_size& size,
                           void (*kernel)(Parameters...), const Parameters&... arguments) {
  cudaLaunchAttribute edge{};
  edge.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  edge.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = size.grid;
  config.blockDim = dim3(size.threads);
  config.dynamicSmemBytes = size.shared_bytes;
  config.stream = site.stream;
  config.attrs = &edge;
  config.numAttrs = site.is_first ? 0 : 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace assay::ops::cuda
