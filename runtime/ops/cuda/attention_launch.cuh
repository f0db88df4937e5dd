// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From attention's shapes to the kernel that covers them.
#pragma once

#include "runtime/ops/cuda/once_a_device.h"
#include "runtime/ops/cuda/paged_attention.cuh"
#include "runtime/ops/cuda/row_launch.cuh"
#include "runtime/ops/cuda/tensor_attention.cuh"
#include "runtime/ops/cuda/typed_kernels.h"

namespace assay::ops::cuda {

/// `Heads` query heads a block at most, `Memory` its shared memory.
template <int Heads, class Memory, class Kernel>
cudaError_t launch_clusters(const launch_site& site, const attention_arguments& a, Kernel* kernel,
                            unsigned threads) {
  constexpr auto bytes = static_cast<std::uint32_t>(sizeof(Memory));
  static once_a_device told;
  const cudaError_t allowed = told.on_current([kernel] {
    const cudaError_t error = allow_shared_memory(kernel, bytes);
    if (error != cudaSuccess) return error;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  });
  if (allowed != cudaSuccess) return allowed;
  const std::uint32_t group = a.heads / a.kv_heads;
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(site.cluster_blocks, a.kv_heads * ((group + Heads - 1) / Heads));
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = bytes;
  config.stream = site.stream;
  config.attrs = attributes;
  config.numAttrs = set_edge(site, attributes);
  cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = site.cluster_blocks;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  return cudaLaunchKernelEx(&config, kernel, a);
}

template <class T, int HeadDim, int Heads>
cudaError_t launch_attention(const launch_site& site, const attention_arguments& a) {
  return launch_clusters<Heads, attention_memory<T, HeadDim, Heads>>(
      site, a, &paged_attention<T, HeadDim, Heads>, attention_threads);
}

template <class T, int HeadDim, int Heads>
cudaError_t launch_tensor_attention(const launch_site& site, const attention_arguments& a) {
  return launch_clusters<Heads, tensor_memory<T, HeadDim, Heads>>(
      site, a, &tensor_attention<T, HeadDim, Heads>, tensor_threads);
}

template <class T, int HeadDim>
cudaError_t launch_attention_heads(const launch_site& site, const attention_arguments& a) {
  const std::uint32_t group = a.heads / a.kv_heads;
  if constexpr (sizeof(T) == 2 && HeadDim >= 64)
    if (site.has_tensor_attention)
      return group <= 4 ? launch_tensor_attention<T, HeadDim, 4>(site, a)
                        : launch_tensor_attention<T, HeadDim, 8>(site, a);
  return group <= 2 ? launch_attention<T, HeadDim, 2>(site, a)
                    : launch_attention<T, HeadDim, 4>(site, a);
}

template <class T>
cudaError_t typed_attention(const launch_site& site, const attention_arguments& a) {
  if (a.kv_heads == 0 || a.heads % a.kv_heads != 0 || a.page_tokens == 0 ||
      site.cluster_blocks == 0 || site.cluster_blocks > most_ranks)
    return cudaErrorInvalidValue;
  switch (a.head_dim) {
    case 16:
      return launch_attention_heads<T, 16>(site, a);
    case 32:
      return launch_attention_heads<T, 32>(site, a);
    case 64:
      return launch_attention_heads<T, 64>(site, a);
    case 128:
      return launch_attention_heads<T, 128>(site, a);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace assay::ops::cuda
