// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Prefill on a GPU: many tokens of a prompt at once, into the pages that decode steps read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "runtime/graph/decode_step.h"
#include "runtime/ops/cuda/matrix_products.h"
#include "runtime/ops/cuda/prefill_kernels.h"
#include "runtime/telemetry/result.h"

namespace assay::graph {

/// What a pass writes on its way, for up to `chunk_tokens` tokens; device addresses.
struct prefill_buffers {
  float* x = nullptr;       ///< (chunk_tokens, hidden) f32
  void* rows = nullptr;     ///< (chunk_tokens, max(hidden, heads · head_dim)) of the element
  void* qkv = nullptr;      ///< (chunk_tokens, (heads + 2 · kv_heads) · head_dim) of the element
  void* gate_up = nullptr;  ///< (chunk_tokens, 2 · intermediate) of the element
  void* gated = nullptr;    ///< (chunk_tokens, intermediate) of the element
};

/// What passes were asked to do. Counts since the pass was made, by the side that submits.
struct prefill_tally {
  std::uint64_t passes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t tokens = 0;
  std::uint64_t launches = 0;  ///< of own kernels
  std::uint64_t products = 0;  ///< given to cuBLAS; how many kernels one takes is its affair
};

/// Enqueues the tokens of a prompt in chunks: 5 own kernels a layer and 4 to 7 products, by how the
/// matrices lie, then the head of a decode step for the last token alone. Behind the last layer's
/// attention a chunk goes on with its last token. It leaves state, pages, logits and the choice as
/// that many decode steps would, but chooses nothing at the positions before the last.
/// Activations between the products are of the weights' element; the residual and all sums are f32.
/// Ownership: the caller's memory throughout. Threads: one.
class prefill_pass {
 public:
  prefill_pass(decode_shape shape, decode_weights weights, decode_buffers buffers,
               prefill_buffers scratch, std::uint32_t chunk_tokens, ops::cuda::launch_site site,
               ops::cuda::matrix_products products)
      : shape_(shape),
        weights_(std::move(weights)),
        buffers_(buffers),
        scratch_(scratch),
        chunk_tokens_(chunk_tokens),
        site_(site),
        products_(std::move(products)) {}

  /// Without it a pass enqueues by itself, and does not ask how many kernels a product is.
  void enqueue_through(enqueue_function enqueue) { enqueue_ = std::move(enqueue); }

  /// Has CUDA and cuBLAS load what a pass of so many tokens launches, which they otherwise do at
  /// its first use (170 ms on an H200): a layer is captured and thrown away, and nothing runs.
  /// Errors: as submit.
  result<void> warm_up(std::uint32_t tokens);

  /// How passes from here on attend; they differ in speed alone.
  void attend_by(ops::cuda::row_attention kind) { attention_ = kind; }
  /// Why they attend by warps where the driver made no maps for the faster way; empty where it has
  /// refused none. From the first refusal on, none is asked for.
  const std::string& attention_reason() const { return attention_reason_; }

  /// Enqueues tokens first … first + tokens - 1 of the prompt and returns. Those before `first` are
  /// in the pages already.
  /// Errors: CUDA's and cuBLAS's; internal for a shape that the kernels do not cover.
  result<void> submit(std::uint32_t first, std::uint32_t tokens);
  /// One chunk of them, and behind the last the head. Chunks are submitted in order.
  result<void> submit_part(std::uint32_t first, std::uint32_t tokens, bool is_last);
  std::uint32_t chunk_tokens() const { return chunk_tokens_; }

  /// As decode_step's.
  void bring_weights_by(operator_gate& gate) { gate_ = &gate; }
  decode_weights& weights() { return weights_; }

  prefill_tally tally() const;
  int cublas_version() const { return products_.version(); }

 private:
  result<void> submit_chunk(const ops::cuda::pass_site& at);
  /// Rows of a chunk.
  struct row_span {
    std::uint32_t first, tokens;
  };

  /// `kept`: the rows that go on behind its attention.
  result<void> submit_layer(const ops::cuda::pass_site& at, std::uint32_t index, row_span kept);
  result<void> submit_qkv(const ops::cuda::pass_site& at, std::uint32_t index);
  result<void> submit_append(const ops::cuda::pass_site& at, std::uint32_t index);
  result<void> submit_attention(const ops::cuda::pass_site& at, std::uint32_t index);
  result<void> submit_output(std::uint32_t index, row_span kept);
  result<void> submit_mlp(std::uint32_t index, row_span kept);
  /// Whether the operator's first kernel must wait for everything before.
  result<bool> before(weight_operator what, std::uint32_t layer) const;
  result<void> after(weight_operator what, std::uint32_t layer) const;
  result<void> submit_head(std::uint32_t last_row);
  template <class Launch>
  result<void> launched(const char* kernel, const Launch& launch);
  result<void> multiplied(const ops::cuda::product_arguments& what, bool is_added);
  result<void> norm(row_span rows, const void* gain, bool is_apart);
  result<void> warm_layer(std::uint32_t layer, std::uint32_t tokens);
  float* residual(std::uint32_t row) const;

  decode_shape shape_;
  decode_weights weights_;
  decode_buffers buffers_;
  prefill_buffers scratch_;
  std::uint32_t chunk_tokens_;
  ops::cuda::launch_site site_;
  ops::cuda::matrix_products products_;
  enqueue_function enqueue_;
  ops::cuda::row_attention attention_ = ops::cuda::row_attention::by_shape;
  std::string attention_reason_;
  operator_gate* gate_ = nullptr;
  prefill_tally tally_;
  std::uint64_t thrown_away_ = 0;  ///< products of warm_up
};

}  // namespace assay::graph
