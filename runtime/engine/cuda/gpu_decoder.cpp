// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_decoder.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "runtime/device/cuda/cuda_try.h"
#include "runtime/engine/cuda/gpu_shape.h"

namespace assay::engine {

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
  const std::uint64_t bytes = carve(nullptr, shape_, buffers_) + pages_bytes(shape_);
  ASSAY_TRY_ASSIGN(memory_, gpu_buffer::create(device_, bytes));
  std::byte* page_memory = memory_.address() + carve(memory_.address(), shape_, buffers_);
  for (graph::decode_layer& layer : weights_.weights.layers)
    layer.pages = std::exchange(page_memory, page_memory + shape_.layer_page_bytes());
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
