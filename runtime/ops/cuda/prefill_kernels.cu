// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From prefill's shapes to the kernels that cover them.
#include "runtime/ops/cuda/context_maps.h"
#include "runtime/ops/cuda/pass_launch.cuh"
#include "runtime/ops/cuda/pipelined_attention.h"
#include "runtime/ops/cuda/prefill_attention.cuh"
#include "runtime/ops/cuda/prefill_kernels.h"
#include "runtime/ops/cuda/prefill_plain_attention.cuh"
#include "runtime/ops/cuda/prefill_rows.cuh"

namespace assay::ops::cuda {
namespace {

bool is_covered(const pass_site& site, element type, std::uint32_t columns) {
  return site.tokens > 0 && columns > 0 && columns * bytes_of(type) % 16 == 0;
}

bool are_heads_covered(const pass_site& site, std::uint32_t heads, std::uint32_t kv_heads,
                       std::uint32_t page_tokens) {
  return site.tokens > 0 && kv_heads > 0 && heads % kv_heads == 0 && page_tokens > 0;
}

template <class T, int Threads, int Rows>
cudaError_t norm(const pass_site& site, const norm_rows_arguments& a) {
  const std::uint32_t blocks = (site.tokens + Rows - 1) / Rows;
  return launch_in_pass(site, {blocks, Threads * Rows}, norm_rows_kernel<T, Threads, Rows>, a,
                        site.tokens);
}

template <class T, int HeadDim>
cudaError_t append(const pass_site& site, const append_rows_arguments& a) {
  return launch_in_pass(site, {site.tokens, append_threads}, append_rows_kernel<T, HeadDim>, a,
                        site.first);
}

template <class T>
cudaError_t append_heads(const pass_site& site, const append_rows_arguments& a) {
  switch (a.head_dim) {
    case 16:
      return append<T, 16>(site, a);
    case 32:
      return append<T, 32>(site, a);
    case 64:
      return append<T, 64>(site, a);
    case 128:
      return append<T, 128>(site, a);
    default:
      return cudaErrorInvalidValue;
  }
}

template <class T, int HeadDim>
cudaError_t attend_by_warps(const pass_site& site, const attend_rows_arguments& a) {
  constexpr auto kernel = &attend_rows_kernel<T, HeadDim>;
  constexpr std::uint32_t bytes = attend_shared_bytes<HeadDim>;
  static once_a_device told;
  const cudaError_t allowed = allow_dynamic_memory(told, kernel, bytes);
  if (allowed != cudaSuccess) return allowed;
  const dim3 grid(a.heads, (site.tokens + query_rows - 1) / query_rows);
  return launch_in_pass(site, {grid, query_threads, bytes}, kernel, a, site.first, site.tokens);
}

template <class T, int HeadDim>
cudaError_t attend(const pass_site& site, const attend_rows_arguments& a) {
  if constexpr (sizeof(T) == 4) {
    const dim3 grid(site.tokens, (a.heads + plain_warps - 1) / plain_warps);
    return launch_in_pass(site, {grid, plain_warps * 32}, attend_plainly_kernel<HeadDim>, a,
                          site.first);
  } else {
    return attend_by_warps<T, HeadDim>(site, a);
  }
}

template <class T>
cudaError_t attend_heads(const pass_site& site, const attend_rows_arguments& a) {
  switch (a.head_dim) {
    case 16:
      return attend<T, 16>(site, a);
    case 32:
      return attend<T, 32>(site, a);
    case 64:
      return attend<T, 64>(site, a);
    case 128:
      return attend<T, 128>(site, a);
    default:
      return cudaErrorInvalidValue;
  }
}

/// Calls `with` for the type that an element names.
template <class Function>
cudaError_t for_type(element type, const Function& with) {
  switch (type) {
    case element::bf16:
      return with(__nv_bfloat16{});
    case element::f16:
      return with(__half{});
    case element::f32:
      return with(float{});
  }
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t embed_rows(element type, const pass_site& site, const embed_rows_arguments& a) {
  if (!is_covered(site, type, a.columns)) return cudaErrorInvalidValue;
  return for_type(type, [&]<class T>(T) {
    return launch_in_pass(site, {site.tokens, row_threads}, embed_rows_kernel<T>, a, site.first,
                          site.tokens);
  });
}

cudaError_t norm_rows(element type, const pass_site& site, const norm_rows_arguments& a) {
  if (!is_covered(site, type, a.columns)) return cudaErrorInvalidValue;
  return for_type(type, [&]<class T>(T) {
    if (a.columns <= 32 * norm_values) return norm<T, 32, 4>(site, a);
    if (a.columns <= 64 * norm_values) return norm<T, 64, 1>(site, a);
    if (a.columns <= 128 * norm_values) return norm<T, 128, 1>(site, a);
    if (a.columns <= 256 * norm_values) return norm<T, 256, 1>(site, a);
    if (a.columns <= 512 * norm_values) return norm<T, 512, 1>(site, a);
    return cudaErrorInvalidValue;
  });
}

cudaError_t append_rows(element type, const pass_site& site, const append_rows_arguments& a) {
  if (!are_heads_covered(site, a.heads, a.kv_heads, a.page_tokens)) return cudaErrorInvalidValue;
  return for_type(type, [&]<class T>(T) { return append_heads<T>(site, a); });
}

cudaError_t attend_rows(element type, const pass_site& site, const attend_rows_arguments& a,
                        cudaError_t* refused) {
  if (!are_heads_covered(site, a.heads, a.kv_heads, a.page_tokens)) return cudaErrorInvalidValue;
  const bool can_pipeline = type != element::f32 && (a.head_dim == 64 || a.head_dim == 128) &&
                            has_context_maps(a.page_tokens);
  if (a.kind == row_attention::pipelined && !can_pipeline) return cudaErrorInvalidValue;
  if (can_pipeline && a.kind != row_attention::warps) {
    context_maps maps;
    const cudaError_t made = make_context_maps(site, a, maps);
    if (made == cudaSuccess) return attend_rows_pipelined(type, site, a, maps);
    if (a.kind == row_attention::pipelined) return made;
    if (refused != nullptr) *refused = made;
  }
  return for_type(type, [&]<class T>(T) { return attend_heads<T>(site, a); });
}

cudaError_t gate_rows(element type, const pass_site& site, const gate_rows_arguments& a) {
  if (!is_covered(site, type, a.columns)) return cudaErrorInvalidValue;
  return for_type(type, [&]<class T>(T) {
    // As many threads as pairs of pieces, in warps: a row that filled half of its last block would
    // leave half of its threads idle.
    const std::uint32_t pairs = (a.columns / vector_values<T> + gate_pieces - 1) / gate_pieces;
    const std::uint32_t blocks = (pairs + gate_threads - 1) / gate_threads;
    const std::uint32_t threads = ((pairs + blocks - 1) / blocks + 31) / 32 * 32;
    return launch_in_pass(site, {dim3(blocks, site.tokens), threads}, gate_rows_kernel<T>, a);
  });
}

}  // namespace assay::ops::cuda
