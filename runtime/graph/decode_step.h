// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One decode step on a GPU: which kernels, in which order, on which memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/graph/operator_gate.h"
#include "runtime/ops/cuda/decode_kernels.h"
#include "runtime/telemetry/result.h"

namespace assay::graph {

struct decode_shape {
  ops::cuda::element type = ops::cuda::element::bf16;  ///< of weights and of cached rows
  std::uint32_t hidden = 0;
  std::uint32_t intermediate = 0;
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  std::uint32_t vocab_rows = 0;
  std::uint32_t page_tokens = 0;
  std::uint32_t context_pages = 0;  ///< of a sequence, a layer
  float eps = 0.0F;

  std::uint64_t layer_page_bytes() const {
    return std::uint64_t{context_pages} * 2 * page_tokens * kv_heads * head_dim *
           ops::cuda::bytes_of(type);
  }
};

/// Device addresses; shapes as ops::cuda's arguments. Null where an architecture has none.
struct decode_layer {
  const void* input_norm = nullptr;
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  const void* q_bias = nullptr;
  const void* k_bias = nullptr;
  const void* v_bias = nullptr;
  const void* q_norm = nullptr;
  const void* k_norm = nullptr;
  const void* o = nullptr;
  const void* mlp_norm = nullptr;
  const void* gate = nullptr;
  const void* up = nullptr;
  const void* down = nullptr;
  void* pages = nullptr;  ///< (context_pages, kv_heads, 2, page_tokens, head_dim)
};

struct decode_weights {
  const void* embedding = nullptr;
  std::vector<decode_layer> layers;
  const void* final_norm = nullptr;
  const void* head = nullptr;
};

/// What a step writes and where it is told what to do; device addresses. f32 unless said.
struct decode_buffers {
  float* x = nullptr;                        ///< (hidden)
  float* qkv = nullptr;                      ///< ((heads + 2 · kv_heads) · head_dim)
  float* mixed = nullptr;                    ///< (heads · head_dim)
  float* gated = nullptr;                    ///< (intermediate)
  float* logits = nullptr;                   ///< (vocab_rows)
  const float* frequencies = nullptr;        ///< (head_dim / 2): angle per position
  const std::uint32_t* table = nullptr;      ///< (context_pages): the same pages in each layer
  ops::cuda::decode_state* state = nullptr;  ///< 1
  std::int32_t* chosen = nullptr;            ///< (context tokens) int32: choice at each position
  const std::int32_t* forced = nullptr;      ///< (state.forced_count) int32: the prompt
};

/// Enqueues steps. A step reads its token and position from the state and advances them itself, so
/// each step is the same list of launches.
/// Launches: 5 a layer (norm_qkv, attention, output projection, gated_mlp, down projection) and the
/// head; the embedding row is read by the first.
/// Ownership: the caller's memory throughout. Threads: one.
class decode_step {
 public:
  decode_step(decode_shape shape, decode_weights weights, decode_buffers buffers,
              ops::cuda::launch_site site)
      : shape_(shape), weights_(std::move(weights)), buffers_(buffers), site_(site) {}

  /// Without it a step enqueues its kernels by itself; with it, each is a call of its own.
  void enqueue_through(enqueue_function enqueue) { enqueue_ = std::move(enqueue); }
  /// Weights that come and go: the gate outlives the step, and may move them as it is told of their
  /// operator. Such a step has no graph.
  void bring_weights_by(operator_gate& gate) { gate_ = &gate; }
  /// Without gate and enqueue function again: what it enqueues can be captured.
  void stand_alone() {
    enqueue_ = nullptr;
    gate_ = nullptr;
  }
  decode_weights& weights() { return weights_; }

  /// Enqueues one step on the site's stream and returns.
  /// Errors: CUDA's; internal for a shape that the kernels do not cover; the gate's.
  result<void> submit() const;

  std::uint32_t launches() const { return 5 * shape_.layers + 1; }
  const decode_shape& shape() const { return shape_; }
  const ops::cuda::launch_site& site() const { return site_; }

 private:
  result<void> submit_qkv(std::uint32_t index) const;
  result<void> submit_attention(std::uint32_t index) const;
  result<void> submit_output(std::uint32_t index) const;
  result<void> submit_mlp(std::uint32_t index) const;
  result<void> submit_down(std::uint32_t index) const;
  result<void> submit_head() const;
  template <class Launch>
  result<void> launched(weight_operator what, std::uint32_t layer, const Launch& launch) const;
  ops::cuda::upcoming_rows rows(const void* at, std::uint32_t rows, std::uint32_t columns) const;
  ops::cuda::upcoming_rows qkv_rows(std::uint32_t layer) const;

  decode_shape shape_;
  decode_weights weights_;
  decode_buffers buffers_;
  ops::cuda::launch_site site_;
  enqueue_function enqueue_;
  operator_gate* gate_ = nullptr;
};

}  // namespace assay::graph
