// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of prefill on a GPU: many tokens of one sequence at once. Matrix products lie between
// them (matrix_products.h).
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "runtime/ops/cuda/decode_kernels.h"

namespace assay::ops::cuda {

/// The tokens of a pass stand at positions first … first + tokens - 1 of the sequence.
/// `is_first` makes a kernel wait for everything before on the stream; any other is placed where
/// the one before leaves room, and may fetch weights there.
struct pass_site {
  cudaStream_t stream = nullptr;
  std::uint32_t first = 0;
  std::uint32_t tokens = 0;
  bool is_first = false;
};

/// x (tokens, columns) f32: rows `ids[i]` (tokens) int32 of the embedding (any, columns).
/// Sets state->position to that of the last token: where a head's kernel goes on from.
struct embed_rows_arguments {
  const void* embedding = nullptr;
  const std::int32_t* ids = nullptr;
  float* x = nullptr;
  decode_state* state = nullptr;
  std::uint32_t columns = 0;
};

/// out (tokens, columns) of the element = each row's norm · gain; x (tokens, columns) f32.
struct norm_rows_arguments {
  const float* x = nullptr;
  const void* gain = nullptr;
  void* out = nullptr;
  std::uint32_t columns = 0;
  float eps = 0.0F;
};

/// qkv (tokens, (heads + 2 · kv_heads) · head_dim) of the element, products without biases.
/// Adds biases, norms heads, rotates. Queries stay in qkv; keys and values go to the pages, which
/// are as attention_arguments has them. A bias or gain is null where there is none.
struct append_rows_arguments {
  void* qkv = nullptr;
  const void* q_bias = nullptr;
  const void* k_bias = nullptr;
  const void* v_bias = nullptr;
  const void* q_gain = nullptr;
  const void* k_gain = nullptr;
  const float* frequencies = nullptr;
  void* pages = nullptr;
  const std::uint32_t* table = nullptr;
  std::uint32_t page_tokens = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  float eps = 0.0F;
};

/// How the tokens of attend_rows are laid over threads; they differ in speed alone.
enum class row_attention : std::uint8_t {
  by_shape,  ///< pipelined where that covers heads and pages, and has its maps; else warps
  warps,     ///< 16 queries a warp
  /// 64 queries four warps, and others that have tiles copied: heads of 64 or 128 values of 2
  /// bytes, pages of a power of two from 8 tokens on
  pipelined,
};

/// out (tokens, heads · head_dim) of the element: each token's attention over the pages up to its
/// own position. qkv as append_rows left it; the keys and values of its tokens are in the pages.
struct attend_rows_arguments {
  const void* qkv = nullptr;
  const void* pages = nullptr;
  const std::uint32_t* table = nullptr;
  void* out = nullptr;
  std::uint32_t page_tokens = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  row_attention kind = row_attention::by_shape;
};

/// out (tokens, columns) = silu(gate) · up; gate_up (tokens, 2 · columns), gates first; both of the
/// element.
struct gate_rows_arguments {
  const void* gate_up = nullptr;
  void* out = nullptr;
  std::uint32_t columns = 0;
};

/// Each enqueues one kernel and returns. It waits for the end of the one before. bf16 and f16
/// attend on tensor cores, with probabilities rounded to the element; f32 does not, and is slow.
/// `refused`, of attend_rows by shape: takes the driver's code where it made no maps of tensors to
/// copy tiles by, and warps attend instead; else it stays as it is.
/// Errors: cudaErrorInvalidValue where a row's bytes are no multiple of 16, a row of norm_rows has
/// more than 16,384 columns, or head_dim is none of 16, 32, 64 and 128; otherwise the launch's own.
/// Threads: one a stream.
cudaError_t embed_rows(element type, const pass_site& site, const embed_rows_arguments& arguments);
cudaError_t norm_rows(element type, const pass_site& site, const norm_rows_arguments& arguments);
cudaError_t append_rows(element type, const pass_site& site,
                        const append_rows_arguments& arguments);
cudaError_t attend_rows(element type, const pass_site& site, const attend_rows_arguments& arguments,
                        cudaError_t* refused = nullptr);
cudaError_t gate_rows(element type, const pass_site& site, const gate_rows_arguments& arguments);

}  // namespace assay::ops::cuda
