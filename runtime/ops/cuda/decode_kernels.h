// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of a decode step on a GPU: one token, one sequence.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace assay::ops::cuda {

/// What weights and cached rows are made of. Activations and sums are f32.
enum class element : std::uint8_t { bf16, f16, f32 };

constexpr std::uint32_t bytes_of(element type) {
  return type == element::f32 ? 4 : 2;
}

/// Rows of weights that a later kernel reads first: up to three matrices one after the other, or
/// two by turns. Null where there is none.
struct upcoming_rows {
  const void* at[3] = {nullptr, nullptr, nullptr};
  std::uint32_t rows[3] = {0, 0, 0};
  std::uint32_t row_bytes = 0;
  bool is_by_turns = false;
};

/// Where and how a kernel is launched.
/// `is_first` makes it wait for everything before on the stream; any other kernel of a step starts
/// while the one before still runs, and prefetches.
struct launch_site {
  cudaStream_t stream = nullptr;
  bool is_first = false;
  std::uint32_t blocks = 132;              ///< of a projection; one a multiprocessor
  std::uint32_t ring_bytes = 160U * 1024;  ///< of a projection's stages; attention fits beside it
  std::uint32_t cluster_blocks = 8;        ///< blocks that share a KV head's context, at most 16
  /// Half as many rows a stage of the ring, so that a smaller ring has as many stages: two of at
  /// most 104 KiB fit a multiprocessor, and a projection fills its own before the one ahead ends.
  bool has_short_stages = false;
  /// Attention of 2-byte caches with heads of 64 or 128 values on tensor cores.
  bool has_tensor_attention = false;
  /// Of `next`, a block, brought into L2 at the end. None: 32 KiB bring the 0.6B and the 8B shape
  /// less than 0.5 % and cost the 1B shape 1 %, 64 KiB cost all three (H200, docs/evidence).
  std::uint32_t prefetch_bytes = 0;
  upcoming_rows next;
};

/// Token, position and the greedy choice, in device memory: a replayed graph needs no new argument.
/// `position` is that of `token`. The head's kernel advances it.
struct decode_state {
  std::int32_t token = 0;
  std::int32_t position = 0;
  std::uint32_t steps = 0;    ///< heads that ran to their end: the device's own count of steps
  std::uint32_t arrived = 0;  ///< blocks of the head that are done
  unsigned long long best = 0;
  std::uint32_t forced_count = 0;  ///< ids of the prompt: a new one needs no new graph either
};

/// Shapes: x (columns) f32; q (q_rows, columns), k and v (kv_rows, columns) of the element; out
/// (q_rows + 2 · kv_rows) f32. A bias is null where there is none.
/// With `embedding`, x is row `state->token` of it, and is stored to `x` for those that add to it.
struct norm_qkv_arguments {
  float* x = nullptr;
  const void* embedding = nullptr;
  const decode_state* state = nullptr;
  const void* gain = nullptr;
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  const void* q_bias = nullptr;
  const void* k_bias = nullptr;
  const void* v_bias = nullptr;
  float* out = nullptr;
  std::uint32_t columns = 0;
  std::uint32_t q_rows = 0;
  std::uint32_t kv_rows = 0;
  float eps = 0.0F;
};

/// Shapes: qkv as norm_qkv left it; out (heads · head_dim) f32; frequencies (head_dim / 2) f32.
/// Page p of the layer: (kv_heads, 2, page_tokens, head_dim) of the element, keys before values; a
/// head's rows lie together, unlike the host device's, whose copies append whole tokens.
/// `table[i]` is the page of positions from i · page_tokens on. A gain is null where q and k have
/// no norm. Appends the token's key and value to its page.
struct attention_arguments {
  const float* qkv = nullptr;
  const void* q_gain = nullptr;
  const void* k_gain = nullptr;
  const float* frequencies = nullptr;
  void* pages = nullptr;
  const std::uint32_t* table = nullptr;
  const decode_state* state = nullptr;
  float* out = nullptr;
  std::uint32_t page_tokens = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  float eps = 0.0F;
};

/// residual (rows) f32 += w (rows, columns) · input (columns) f32.
struct project_add_arguments {
  const float* input = nullptr;
  const void* w = nullptr;
  float* residual = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};

/// out (rows) f32 = silu(norm(x) · gateᵀ) · (norm(x) · upᵀ); gate and up (rows, columns).
struct gated_mlp_arguments {
  const float* x = nullptr;
  const void* gain = nullptr;
  const void* gate = nullptr;
  const void* up = nullptr;
  float* out = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  float eps = 0.0F;
};

/// logits (rows) f32 = norm(x) · wᵀ, and the greedy choice: the lowest id of the largest logit; -1
/// where no logit is a number. The choice goes to chosen[position]; the next token is
/// forced[position + 1] while that is below state->forced_count, then the choice. Position goes up
/// by one.
struct head_arguments {
  const float* x = nullptr;
  const void* gain = nullptr;
  const void* w = nullptr;
  float* logits = nullptr;
  decode_state* state = nullptr;
  std::int32_t* chosen = nullptr;
  const std::int32_t* forced = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  float eps = 0.0F;
};

/// Each enqueues one kernel and returns.
/// Errors: cudaErrorInvalidValue, where a row's bytes are no multiple of 16 or a shape exceeds what
/// the kernels cover: 16,384 columns, head_dim other than 16, 32, 64 or 128, more than 16 blocks a
/// cluster; otherwise the launch's own.
/// Threads: one a stream.
cudaError_t norm_qkv(element type, const launch_site& site, const norm_qkv_arguments& arguments);
cudaError_t attention(element type, const launch_site& site, const attention_arguments& arguments);
cudaError_t project_add(element type, const launch_site& site,
                        const project_add_arguments& arguments);
cudaError_t gated_mlp(element type, const launch_site& site, const gated_mlp_arguments& arguments);
cudaError_t head(element type, const launch_site& site, const head_arguments& arguments);

}  // namespace assay::ops::cuda
