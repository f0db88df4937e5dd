// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/decode_step.h"

#include "runtime/device/cuda/cuda_try.h"

namespace assay::graph {

result<void> decode_step::submit() const {
  for (std::uint32_t i = 0; i < shape_.layers; ++i) ASSAY_TRY(submit_layer(i));
  const ops::cuda::head_arguments head{
      buffers_.x,      weights_.final_norm, weights_.head,     buffers_.logits, buffers_.state,
      buffers_.chosen, buffers_.forced,     shape_.vocab_rows, shape_.hidden,   shape_.eps};
  ASSAY_CUDA_TRY(ops::cuda::head(shape_.type, site_, head));
  return {};
}

ops::cuda::upcoming_rows decode_step::rows(const void* at, std::uint32_t count,
                                           std::uint32_t columns) const {
  ops::cuda::upcoming_rows next;
  next.at[0] = at;
  next.rows[0] = count;
  next.row_bytes = columns * ops::cuda::bytes_of(shape_.type);
  return next;
}

ops::cuda::upcoming_rows decode_step::qkv_rows(std::uint32_t layer) const {
  if (layer == shape_.layers) return rows(weights_.head, shape_.vocab_rows, shape_.hidden);
  const decode_layer& at = weights_.layers[layer];
  const std::uint32_t kv_rows = shape_.kv_heads * shape_.head_dim;
  ops::cuda::upcoming_rows next = rows(at.q, shape_.heads * shape_.head_dim, shape_.hidden);
  next.at[1] = at.k;
  next.at[2] = at.v;
  next.rows[1] = next.rows[2] = kv_rows;
  return next;
}

ops::cuda::launch_site decode_step::before(const ops::cuda::upcoming_rows& next) const {
  ops::cuda::launch_site site = site_;
  site.next = next;
  return site;
}

result<void> decode_step::submit_layer(std::uint32_t index) const {
  const decode_layer& layer = weights_.layers[index];
  const std::uint32_t q_rows = shape_.heads * shape_.head_dim;
  ops::cuda::norm_qkv_arguments qkv{};
  qkv.x = buffers_.x;
  qkv.gain = layer.input_norm;
  qkv.q = layer.q;
  qkv.k = layer.k;
  qkv.v = layer.v;
  qkv.q_bias = layer.q_bias;
  qkv.k_bias = layer.k_bias;
  qkv.v_bias = layer.v_bias;
  qkv.out = buffers_.qkv;
  qkv.columns = shape_.hidden;
  qkv.q_rows = q_rows;
  qkv.kv_rows = shape_.kv_heads * shape_.head_dim;
  qkv.eps = shape_.eps;
  ops::cuda::launch_site site = before(rows(layer.o, shape_.hidden, q_rows));
  if (index == 0) {
    qkv.embedding = weights_.embedding;
    qkv.state = buffers_.state;
    // The step before must have ended before this one looks at the state and the cache.
    site.is_first = true;
  }
  ASSAY_CUDA_TRY(ops::cuda::norm_qkv(shape_.type, site, qkv));
  ASSAY_TRY(submit_attention(index));
  return submit_mlp(index);
}

result<void> decode_step::submit_attention(std::uint32_t index) const {
  const decode_layer& layer = weights_.layers[index];
  ops::cuda::attention_arguments attention{};
  attention.qkv = buffers_.qkv;
  attention.q_gain = layer.q_norm;
  attention.k_gain = layer.k_norm;
  attention.frequencies = buffers_.frequencies;
  attention.pages = layer.pages;
  attention.table = buffers_.table;
  attention.state = buffers_.state;
  attention.out = buffers_.mixed;
  attention.page_tokens = shape_.page_tokens;
  attention.heads = shape_.heads;
  attention.kv_heads = shape_.kv_heads;
  attention.head_dim = shape_.head_dim;
  attention.eps = shape_.eps;
  ASSAY_CUDA_TRY(ops::cuda::attention(shape_.type, site_, attention));
  ops::cuda::upcoming_rows gate = rows(layer.gate, shape_.intermediate, shape_.hidden);
  gate.at[1] = layer.up;
  gate.rows[1] = shape_.intermediate;
  gate.is_by_turns = true;
  ASSAY_CUDA_TRY(ops::cuda::project_add(
      shape_.type, before(gate),
      {buffers_.mixed, layer.o, buffers_.x, shape_.hidden, shape_.heads * shape_.head_dim}));
  return {};
}

result<void> decode_step::submit_mlp(std::uint32_t index) const {
  const decode_layer& layer = weights_.layers[index];
  ASSAY_CUDA_TRY(ops::cuda::gated_mlp(
      shape_.type, before(rows(layer.down, shape_.hidden, shape_.intermediate)),
      {buffers_.x, layer.mlp_norm, layer.gate, layer.up, buffers_.gated, shape_.intermediate,
       shape_.hidden, shape_.eps}));
  ASSAY_CUDA_TRY(ops::cuda::project_add(
      shape_.type, before(qkv_rows(index + 1)),
      {buffers_.gated, layer.down, buffers_.x, shape_.hidden, shape_.intermediate}));
  return {};
}

}  // namespace assay::graph
