// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_decoder.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "runtime/device/cuda/cuda_try.h"
#include "runtime/engine/cuda/carver.h"
#include "runtime/ops/rotary_frequency.h"

namespace assay::engine {
namespace {

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

/// Where attention on tensor cores is the faster one: 1 to 4 % of a step at 128 tokens, 9 to 11 %
/// at 4,096. With heads of 128 values of which two share a KV head it costs 7 % at 128 tokens and
/// brings 4 % at 4,096 (H200, docs/evidence/h200-2026-12-02.md).
bool takes_tensor_attention(const graph::decode_shape& shape) {
  return shape.head_dim == 64 || shape.heads / shape.kv_heads > 2;
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
                    graph::decode_buffers& buffers, std::vector<graph::decode_layer>& layers) {
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
  for (graph::decode_layer& layer : layers)
    layer.pages = from.take<std::byte>(shape.layer_page_bytes());
  return from.used_bytes();
}

}  // namespace

result<std::unique_ptr<gpu_decoder>> gpu_decoder::load(const checkpoint::checkpoint& from,
                                                       device::cuda_device& on,
                                                       const gpu_options& options) {
  std::unique_ptr<gpu_decoder> made(new gpu_decoder(on));
  ASSAY_TRY(made->open(from, options));
  return made;
}

gpu_decoder::~gpu_decoder() {
  (void)device_.synchronize(stream_);
}

result<void> gpu_decoder::open(const checkpoint::checkpoint& from, const gpu_options& options) {
  const checkpoint::model_config& config = from.config();
  context_tokens_ =
      options.context_tokens == 0 ? config.max_context_tokens : options.context_tokens;
  if (options.page_tokens == 0 || context_tokens_ == 0)
    return ASSAY_FAIL(usage, "GPU decoder: pages and context need 1 token or more");
  ASSAY_TRY(check_covered(config));
  ASSAY_TRY_ASSIGN(stream_, device_.create_stream());
  ASSAY_TRY_ASSIGN(weights_, gpu_weights::upload(from, device_, stream_));
  shape_ = shape_of(config, options.page_tokens, context_tokens_, weights_.type);
  ASSAY_TRY(take_buffers(config));
  ops::cuda::launch_site site;
  site.stream = device_.native(stream_);
  site.blocks = static_cast<std::uint32_t>(device_.multiprocessors());
  site.has_tensor_attention = takes_tensor_attention(shape_);
  plan_ = std::make_unique<graph::decode_step>(shape_, weights_.weights, buffers_, site);
  step_ = std::make_unique<graph::captured_step>(site.stream, [this] { return plan_->submit(); });
  if (options.is_eager) step_->run_eagerly("asked for");
  prefill_ = gpu_prefill::open(device_, {shape_, weights_.weights, buffers_, site, context_tokens_},
                               options.prefill);
  return {};
}

result<void> gpu_decoder::take_buffers(const checkpoint::model_config& config) {
  const std::uint64_t bytes = carve(nullptr, shape_, buffers_, weights_.weights.layers);
  ASSAY_TRY_ASSIGN(memory_, gpu_buffer::create(device_, bytes));
  carve(memory_.address(), shape_, buffers_, weights_.weights.layers);
  const std::vector<float> frequencies = rope_frequencies(config);
  ASSAY_TRY(copy_in(const_cast<float*>(buffers_.frequencies), frequencies.data(),
                    frequencies.size() * sizeof(float)));
  std::vector<std::uint32_t> pages(shape_.context_pages);
  std::iota(pages.begin(), pages.end(), 0U);
  return copy_in(const_cast<std::uint32_t*>(buffers_.table), pages.data(),
                 pages.size() * sizeof(std::uint32_t));
}

result<void> gpu_decoder::copy_in(void* to, const void* from, std::uint64_t bytes) {
  ASSAY_TRY(device_.copy_async(stream_, to, from, bytes, device::copy_direction::h2d));
  return device_.synchronize(stream_);
}

result<void> gpu_decoder::copy_out(void* to, const void* from, std::uint64_t bytes) {
  ASSAY_TRY(device_.copy_async(stream_, to, from, bytes, device::copy_direction::d2h));
  return device_.synchronize(stream_);
}

result<void> gpu_decoder::begin(std::span<const std::int32_t> prompt) {
  if (prompt.empty()) return ASSAY_FAIL(unusable_input, "the prompt has no token; give it one");
  if (prompt.size() > context_tokens_)
    return ASSAY_FAIL(unusable_input, "the prompt has " + std::to_string(prompt.size()) +
                                          " tokens, the context room for " +
                                          std::to_string(context_tokens_));
  for (const std::int32_t id : prompt)
    if (id < 0 || static_cast<std::uint32_t>(id) >= shape_.vocab_rows)
      return ASSAY_FAIL(unusable_input, "token " + std::to_string(id) +
                                            " is outside the vocabulary of " +
                                            std::to_string(shape_.vocab_rows));
  ASSAY_TRY(copy_in(const_cast<std::int32_t*>(buffers_.forced), prompt.data(),
                    prompt.size() * sizeof(std::int32_t)));
  ops::cuda::decode_state state;
  state.token = prompt[0];
  state.forced_count = static_cast<std::uint32_t>(prompt.size());
  ASSAY_TRY(copy_in(buffers_.state, &state, sizeof state));
  enqueued_ = 0;
  prompt_tokens_ = state.forced_count;
  first_choice_ = 0;
  return {};
}

result<void> gpu_decoder::enqueue(std::uint32_t steps) {
  if (steps > context_tokens_ - enqueued_)
    return ASSAY_FAIL(unusable_input, "the context has room for " +
                                          std::to_string(context_tokens_ - enqueued_) +
                                          " more tokens, not for " + std::to_string(steps));
  const std::uint32_t known = prompt_tokens_ - std::min(enqueued_, prompt_tokens_);
  std::uint32_t left = steps;
  if (const std::uint32_t together = std::min(known, steps); prefill_.takes(together)) {
    ASSAY_TRY(prefill_.run(enqueued_, together));
    enqueued_ += together;
    left -= together;
    first_choice_ = enqueued_ - 1;
  }
  for (; left > 0; --left) {
    ASSAY_TRY(step_->run());
    ++enqueued_;
  }
  return {};
}

result<std::vector<std::int32_t>> gpu_decoder::chosen(std::uint32_t first) {
  if (first < first_choice_)
    return ASSAY_FAIL(usage, "position " + std::to_string(first) +
                                 ": a prefill pass chooses after its last token alone, here at " +
                                 std::to_string(first_choice_));
  ASSAY_TRY(device_.synchronize(stream_));
  std::vector<std::int32_t> ids(first < enqueued_ ? enqueued_ - first : 0);
  if (ids.empty()) return ids;
  ASSAY_TRY(copy_out(ids.data(), buffers_.chosen + first, ids.size() * sizeof(std::int32_t)));
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0)
      return ASSAY_FAIL(unusable_input, "the logits after position " + std::to_string(first + i) +
                                            " are no numbers; the weights overflow");
  return ids;
}

result<std::vector<float>> gpu_decoder::logits() {
  std::vector<float> copy(shape_.vocab_rows);
  ASSAY_TRY(copy_out(copy.data(), buffers_.logits, copy.size() * sizeof(float)));
  return copy;
}

}  // namespace assay::engine
