// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_shape.h"

#include <string>

#include "runtime/engine/cuda/carver.h"
#include "runtime/ops/rotary_frequency.h"

namespace assay::engine {
std::vector<float> rope_frequencies(const checkpoint::model_config& config) {
  ops::rotary_scaling scaling;
  if (config.rope_scaling) {
    const checkpoint::llama3_scaling& s = *config.rope_scaling;
    scaling = {static_cast<float>(s.factor), static_cast<float>(s.low_freq_factor),
               static_cast<float>(s.high_freq_factor),
               static_cast<float>(s.original_context_tokens)};
  }
  std::vector<float> frequencies(config.head_dim / 2);
  for (std::uint32_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = ops::rotary_frequency(i, config.head_dim, config.rope_theta, scaling);
  return frequencies;
}

/// Errors: unusable_input, naming what no kernel covers.
result<void> check_covered(const checkpoint::model_config& config) {
  if (config.head_dim != 16 && config.head_dim != 32 && config.head_dim != 64 &&
      config.head_dim != 128)
    return ASSAY_FAIL(unusable_input, "heads of " + std::to_string(config.head_dim) +
                                          " values: the GPU's kernels cover 16, 32, 64 and 128; "
                                          "use --device host");
  for (const std::uint32_t columns :
       {config.hidden_size, config.intermediate_size, config.head_count * config.head_dim})
    if (columns % 8 != 0 || columns > 16384)
      return ASSAY_FAIL(unusable_input, "rows of " + std::to_string(columns) +
                                            " values: the GPU's kernels cover multiples of 8 up to "
                                            "16384; use --device host");
  return {};
}

graph::decode_shape shape_of(const checkpoint::model_config& config, std::uint32_t page_tokens,
                             std::uint32_t context_tokens, ops::cuda::element type) {
  graph::decode_shape shape;
  shape.type = type;
  shape.hidden = config.hidden_size;
  shape.intermediate = config.intermediate_size;
  shape.layers = config.layer_count;
  shape.heads = config.head_count;
  shape.kv_heads = config.kv_head_count;
  shape.head_dim = config.head_dim;
  shape.vocab_rows = config.vocab_rows;
  shape.page_tokens = page_tokens;
  shape.context_pages = (context_tokens + page_tokens - 1) / page_tokens;
  shape.eps = static_cast<float>(config.rms_norm_eps);
  return shape;
}

std::uint64_t carve(std::byte* base, const graph::decode_shape& shape,
                    graph::decode_buffers& buffers) {
  carver from(base);
  const std::uint64_t context = std::uint64_t{shape.context_pages} * shape.page_tokens;
  buffers.x = from.take<float>(shape.hidden);
  buffers.qkv = from.take<float>(std::uint64_t{shape.heads + 2 * shape.kv_heads} * shape.head_dim);
  buffers.mixed = from.take<float>(std::uint64_t{shape.heads} * shape.head_dim);
  buffers.gated = from.take<float>(shape.intermediate);
  buffers.logits = from.take<float>(shape.vocab_rows);
  buffers.frequencies = from.take<float>(shape.head_dim / 2);
  buffers.table = from.take<std::uint32_t>(shape.context_pages);
  buffers.state = from.take<ops::cuda::decode_state>(1);
  buffers.chosen = from.take<std::int32_t>(context);
  buffers.forced = from.take<std::int32_t>(context);
  return from.used_bytes();
}

bool takes_tensor_attention(const graph::decode_shape& shape) {
  return shape.head_dim == 64 || shape.heads / shape.kv_heads > 2;
}

std::uint64_t pages_bytes(const graph::decode_shape& shape) {
  return shape.layers * shape.layer_page_bytes();
}

}  // namespace assay::engine
