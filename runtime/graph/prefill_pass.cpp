// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/prefill_pass.h"

#include <algorithm>
#include <utility>

#include "runtime/device/cuda/cuda_try.h"

namespace assay::graph {
namespace {

bool has_addresses(const decode_layer& layer) {
  return layer.q != nullptr && layer.k != nullptr && layer.v != nullptr && layer.o != nullptr &&
         layer.gate != nullptr && layer.up != nullptr && layer.down != nullptr;
}

}  // namespace

result<void> prefill_pass::submit(std::uint32_t first, std::uint32_t tokens) {
  if (tokens == 0) return ASSAY_FAIL(internal, "a prefill pass needs a token");
  std::uint32_t chunk = 0;
  for (std::uint32_t done = 0; done < tokens; done += chunk) {
    chunk = std::min(chunk_tokens_, tokens - done);
    ASSAY_TRY(submit_part(first + done, chunk, done + chunk == tokens));
  }
  return {};
}

result<void> prefill_pass::warm_up(std::uint32_t tokens) {
  // Under a memory limit a layer whose weights come later has no addresses to show to cuBLAS yet.
  const auto whole = std::find_if(weights_.layers.begin(), weights_.layers.end(), has_addresses);
  if (whole == weights_.layers.end()) return {};
  // What nobody is to be told of: it comes back however the layer ends.
  const enqueue_function enqueue = std::exchange(enqueue_, nullptr);
  const prefill_tally before = tally();
  const auto warmed =
      warm_layer(static_cast<std::uint32_t>(whole - weights_.layers.begin()), tokens);
  enqueue_ = enqueue;
  tally_ = before;
  thrown_away_ = products_.calls() - before.products;
  return warmed;
}

result<void> prefill_pass::warm_layer(std::uint32_t layer, std::uint32_t tokens) {
  // Relaxed: another thread of the process may allocate meanwhile.
  ASSAY_CUDA_TRY(cudaStreamBeginCapture(site_.stream, cudaStreamCaptureModeRelaxed));
  const ops::cuda::pass_site at{site_.stream, 0, tokens};
  auto submitted = submit_layer(at, layer, {0, tokens});
  if (submitted) submitted = submit_layer(at, layer, {tokens - 1, 1});
  cudaGraph_t graph = nullptr;
  // The capture ends in any case: a stream left capturing refuses everything else.
  const cudaError_t ended = cudaStreamEndCapture(site_.stream, &graph);
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  ASSAY_TRY(submitted);
  return device::cuda_try(ended, "cudaStreamEndCapture", __FILE__, __LINE__);
}

result<void> prefill_pass::submit_part(std::uint32_t first, std::uint32_t tokens, bool is_last) {
  ASSAY_TRY(submit_chunk({site_.stream, first, tokens}));
  tally_.tokens += tokens;
  if (!is_last) return {};
  ++tally_.passes;
  return submit_head(tokens - 1);
}

result<bool> prefill_pass::before(weight_operator what, std::uint32_t layer) const {
  return gate_ == nullptr ? result<bool>{false} : gate_->before(what, layer);
}

result<void> prefill_pass::after(weight_operator what, std::uint32_t layer) const {
  return gate_ == nullptr ? result<void>{} : gate_->after(what, layer);
}

prefill_tally prefill_pass::tally() const {
  prefill_tally all = tally_;
  all.products = products_.calls() - thrown_away_;
  return all;
}

template <class Launch>
result<void> prefill_pass::launched(const char* kernel, const Launch& launch) {
  const auto work = [&]() -> result<void> {
    return device::cuda_try(launch(), kernel, __FILE__, __LINE__);
  };
  ASSAY_TRY(enqueue_ ? enqueue_(1, work) : work());
  ++tally_.launches;
  return {};
}

result<void> prefill_pass::multiplied(const ops::cuda::product_arguments& what, bool is_added) {
  for (const ops::cuda::product_arguments& one : ops::cuda::calls_of(shape_.type, what)) {
    const auto work = [&] {
      return is_added ? products_.multiply_add(shape_.type, one)
                      : products_.multiply(shape_.type, one);
    };
    if (!enqueue_) {
      ASSAY_TRY(work());
      continue;
    }
    ASSAY_TRY_ASSIGN(const std::uint32_t kernels, products_.kernels_of(shape_.type, one, is_added));
    ASSAY_TRY(enqueue_(kernels, work));
  }
  return {};
}

result<void> prefill_pass::submit_chunk(const ops::cuda::pass_site& at) {
  ASSAY_TRY(launched("embed_rows", [&] {
    return ops::cuda::embed_rows(shape_.type, at,
                                 {weights_.embedding, buffers_.forced + at.first, scratch_.x,
                                  buffers_.state, shape_.hidden});
  }));
  // Behind the last layer's attention nobody reads a row but the last token's.
  const row_span all{0, at.tokens};
  const row_span last{at.tokens - 1, 1};
  for (std::uint32_t i = 0; i < shape_.layers; ++i)
    ASSAY_TRY(submit_layer(at, i, i + 1 == shape_.layers ? last : all));
  ++tally_.chunks;
  return {};
}

result<void> prefill_pass::submit_layer(const ops::cuda::pass_site& at, std::uint32_t index,
                                        row_span kept) {
  ASSAY_TRY(submit_qkv(at, index));
  ASSAY_TRY(submit_attention(at, index));
  ASSAY_TRY(submit_output(index, kept));
  return submit_mlp(index, kept);
}

float* prefill_pass::residual(std::uint32_t row) const {
  return scratch_.x + std::size_t{row} * shape_.hidden;
}

// It fetches the gain before the kernel ahead has ended: `is_apart` where a copy brings the gain.
result<void> prefill_pass::norm(row_span rows, const void* gain, bool is_apart) {
  return launched("norm_rows", [&] {
    return ops::cuda::norm_rows(
        shape_.type, {site_.stream, 0, rows.tokens, is_apart},
        {residual(rows.first), gain, scratch_.rows, shape_.hidden, shape_.eps});
  });
}

result<void> prefill_pass::submit_qkv(const ops::cuda::pass_site& at, std::uint32_t index) {
  ASSAY_TRY_ASSIGN(const bool is_apart, before(weight_operator::qkv, index));
  const decode_layer& layer = weights_.layers[index];
  const std::uint32_t q_rows = shape_.heads * shape_.head_dim;
  const std::uint32_t kv_rows = shape_.kv_heads * shape_.head_dim;
  const std::uint32_t all_rows = q_rows + 2 * kv_rows;
  ASSAY_TRY(norm({0, at.tokens}, layer.input_norm, is_apart));
  const bool is_one =
      ops::cuda::is_followed(shape_.type, layer.q, q_rows, shape_.hidden, layer.k) &&
      ops::cuda::is_followed(shape_.type, layer.k, kv_rows, shape_.hidden, layer.v);
  ASSAY_TRY(multiplied({layer.q, nullptr, scratch_.rows, scratch_.qkv, at.tokens,
                        is_one ? all_rows : q_rows, shape_.hidden, all_rows},
                       false));
  if (!is_one) {
    auto* const kv = static_cast<std::byte*>(scratch_.qkv) +
                     std::size_t{q_rows} * ops::cuda::bytes_of(shape_.type);
    ASSAY_TRY(multiplied(
        {layer.k, layer.v, scratch_.rows, kv, at.tokens, kv_rows, shape_.hidden, all_rows}, false));
  }
  return submit_append(at, index);
}

// Biases come with the products' weights, and this kernel adds them: with them the operator ends
// here. No architecture has norms of heads besides, which are an operator of their own.
result<void> prefill_pass::submit_append(const ops::cuda::pass_site& at, std::uint32_t index) {
  const decode_layer& layer = weights_.layers[index];
  const bool has_biases = layer.q_bias != nullptr;
  ops::cuda::pass_site site = at;
  if (!has_biases) {
    ASSAY_TRY(after(weight_operator::qkv, index));
    ASSAY_TRY_ASSIGN(site.is_first, before(weight_operator::heads, index));
  }
  ops::cuda::append_rows_arguments append{};
  append.qkv = scratch_.qkv;
  append.q_bias = layer.q_bias;
  append.k_bias = layer.k_bias;
  append.v_bias = layer.v_bias;
  append.q_gain = layer.q_norm;
  append.k_gain = layer.k_norm;
  append.frequencies = buffers_.frequencies;
  append.pages = layer.pages;
  append.table = buffers_.table;
  append.page_tokens = shape_.page_tokens;
  append.heads = shape_.heads;
  append.kv_heads = shape_.kv_heads;
  append.head_dim = shape_.head_dim;
  append.eps = shape_.eps;
  ASSAY_TRY(
      launched("append_rows", [&] { return ops::cuda::append_rows(shape_.type, site, append); }));
  return after(has_biases ? weight_operator::qkv : weight_operator::heads, index);
}

result<void> prefill_pass::submit_attention(const ops::cuda::pass_site& at, std::uint32_t index) {
  const decode_layer& layer = weights_.layers[index];
  cudaError_t refused = cudaSuccess;
  // What was normed is read: its place takes what attention found.
  ASSAY_TRY(launched("attend_rows", [&] {
    return ops::cuda::attend_rows(
        shape_.type, at,
        {scratch_.qkv, layer.pages, buffers_.table, scratch_.rows, shape_.page_tokens, shape_.heads,
         shape_.kv_heads, shape_.head_dim, attention_},
        &refused);
  }));
  if (refused == cudaSuccess) return {};
  attention_ = ops::cuda::row_attention::warps;
  attention_reason_ =
      device::cuda_error(refused, "cuTensorMapEncodeTiled", __FILE__, __LINE__).message;
  return {};
}

result<void> prefill_pass::submit_output(std::uint32_t index, row_span kept) {
  ASSAY_TRY(before(weight_operator::output, index));
  const std::uint32_t q_rows = shape_.heads * shape_.head_dim;
  const auto* const attended = static_cast<const std::byte*>(scratch_.rows) +
                               std::size_t{kept.first} * q_rows * ops::cuda::bytes_of(shape_.type);
  ASSAY_TRY(multiplied({weights_.layers[index].o, nullptr, attended, residual(kept.first),
                        kept.tokens, shape_.hidden, q_rows, shape_.hidden},
                       true));
  return after(weight_operator::output, index);
}

result<void> prefill_pass::submit_mlp(std::uint32_t index, row_span kept) {
  const decode_layer& layer = weights_.layers[index];
  ASSAY_TRY_ASSIGN(const bool is_apart, before(weight_operator::mlp, index));
  ASSAY_TRY(norm(kept, layer.mlp_norm, is_apart));
  ASSAY_TRY(multiplied({layer.gate, layer.up, scratch_.rows, scratch_.gate_up, kept.tokens,
                        shape_.intermediate, shape_.hidden, 2 * shape_.intermediate},
                       false));
  ASSAY_TRY(after(weight_operator::mlp, index));
  ASSAY_TRY(launched("gate_rows", [&] {
    return ops::cuda::gate_rows(shape_.type, {site_.stream, 0, kept.tokens},
                                {scratch_.gate_up, scratch_.gated, shape_.intermediate});
  }));
  ASSAY_TRY(before(weight_operator::down, index));
  ASSAY_TRY(multiplied({layer.down, nullptr, scratch_.gated, residual(kept.first), kept.tokens,
                        shape_.hidden, shape_.intermediate, shape_.hidden},
                       true));
  return after(weight_operator::down, index);
}

result<void> prefill_pass::submit_head(std::uint32_t last_row) {
  ASSAY_TRY(before(weight_operator::head, shape_.layers));
  const ops::cuda::head_arguments head{
      residual(last_row), weights_.final_norm, weights_.head,     buffers_.logits, buffers_.state,
      buffers_.chosen,    buffers_.forced,     shape_.vocab_rows, shape_.hidden,   shape_.eps};
  ops::cuda::launch_site site = site_;
  // Before it stands a kernel of cuBLAS, which allows nobody to start early.
  site.is_first = true;
  ASSAY_TRY(launched("head", [&] { return ops::cuda::head(shape_.type, site, head); }));
  return after(weight_operator::head, shape_.layers);
}

}  // namespace assay::graph
