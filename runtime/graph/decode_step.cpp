// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/decode_step.h"

#include "runtime/device/cuda/cuda_try.h"

namespace assay::graph {

result<void> decode_step::submit() const {
  for (std::uint32_t i = 0; i < shape_.layers; ++i) {
    ASSAY_TRY(submit_qkv(i));
    ASSAY_TRY(submit_attention(i));
    ASSAY_TRY(submit_output(i));
    ASSAY_TRY(submit_mlp(i));
    ASSAY_TRY(submit_down(i));
  }
  return submit_head();
}

// The launch comes after the gate: it looks the addresses up.
template <class Launch>
result<void> decode_step::launched(weight_operator what, std::uint32_t layer,
                                   const Launch& launch) const {
  ops::cuda::launch_site site = site_;
  if (gate_ != nullptr) {
    ASSAY_TRY_ASSIGN(const bool is_apart, gate_->before(what, layer));
    site.is_first = site.is_first || is_apart;
  }
  const auto work = [&]() -> result<void> {
    ASSAY_CUDA_TRY(launch(site));
    return {};
  };
  ASSAY_TRY(enqueue_ ? enqueue_(1, work) : work());
  return gate_ == nullptr ? result<void>{} : gate_->after(what, layer);
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

result<void> decode_step::submit_qkv(std::uint32_t index) const {
  const decode_layer& layer = weights_.layers[index];
  return launched(weight_operator::qkv, index, [&](ops::cuda::launch_site site) {
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
    qkv.q_rows = shape_.heads * shape_.head_dim;
    qkv.kv_rows = shape_.kv_heads * shape_.head_dim;
    qkv.eps = shape_.eps;
    site.next = rows(layer.o, shape_.hidden, qkv.q_rows);
    if (index == 0) {
      qkv.embedding = weights_.embedding;
      qkv.state = buffers_.state;
      // The step before must have ended before this one looks at the state and the cache.
      site.is_first = true;
    }
    return ops::cuda::norm_qkv(shape_.type, site, qkv);
  });
}

result<void> decode_step::submit_attention(std::uint32_t index) const {
  const decode_layer& layer = weights_.layers[index];
  return launched(weight_operator::heads, index, [&](const ops::cuda::launch_site& site) {
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
    return ops::cuda::attention(shape_.type, site, attention);
  });
}

result<void> decode_step::submit_output(std::uint32_t index) const {
  const decode_layer& layer = weights_.layers[index];
  return launched(weight_operator::output, index, [&](ops::cuda::launch_site site) {
    site.next = rows(layer.gate, shape_.intermediate, shape_.hidden);
    site.next.at[1] = layer.up;
    site.next.rows[1] = shape_.intermediate;
    site.next.is_by_turns = true;
    return ops::cuda::project_add(
        shape_.type, site,
        {buffers_.mixed, layer.o, buffers_.x, shape_.hidden, shape_.heads * shape_.head_dim});
  });
}

result<void> decode_step::submit_mlp(std::uint32_t index) const {
  const decode_layer& layer = weights_.layers[index];
  return launched(weight_operator::mlp, index, [&](ops::cuda::launch_site site) {
    site.next = rows(layer.down, shape_.hidden, shape_.intermediate);
    return ops::cuda::gated_mlp(shape_.type, site,
                                {buffers_.x, layer.mlp_norm, layer.gate, layer.up, buffers_.gated,
                                 shape_.intermediate, shape_.hidden, shape_.eps});
  });
}

result<void> decode_step::submit_down(std::uint32_t index) const {
  const decode_layer& layer = weights_.layers[index];
  return launched(weight_operator::down, index, [&](ops::cuda::launch_site site) {
    site.next = qkv_rows(index + 1);
    return ops::cuda::project_add(
        shape_.type, site,
        {buffers_.gated, layer.down, buffers_.x, shape_.hidden, shape_.intermediate});
  });
}

result<void> decode_step::submit_head() const {
  return launched(weight_operator::head, shape_.layers, [&](const ops::cuda::launch_site& site) {
    return ops::cuda::head(
        shape_.type, site,
        {buffers_.x, weights_.final_norm, weights_.head, buffers_.logits, buffers_.state,
         buffers_.chosen, buffers_.forced, shape_.vocab_rows, shape_.hidden, shape_.eps});
  });
}

}  // namespace assay::graph
