// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_weights.h"

#include <map>
#include <string>
#include <utility>

#include "runtime/telemetry/check.h"

namespace assay::engine {
namespace {

using placed = std::map<std::string, const std::byte*, std::less<>>;

// As cudaMalloc aligns, so that every row of 16 bytes or more can be loaded 16 bytes at a time.
constexpr std::uint64_t alignment_bytes = 256;

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

const checkpoint::tensor_view& view_of(const checkpoint::checkpoint& from,
                                       const checkpoint::expected_tensor& tensor) {
  const checkpoint::tensor_view* view = from.weights().find(tensor.name);
  ASSAY_CHECK(view != nullptr, "an opened checkpoint lacks a tensor that its config expects");
  return *view;
}

result<ops::cuda::element> element_of(checkpoint::dtype type, const std::string& name) {
  switch (type) {
    case checkpoint::dtype::bf16:
      return ops::cuda::element::bf16;
    case checkpoint::dtype::f16:
      return ops::cuda::element::f16;
    case checkpoint::dtype::f32:
      return ops::cuda::element::f32;
  }
  return ASSAY_FAIL(unusable_input, name + " has a type that no kernel of the GPU reads");
}

const std::byte* optional(const placed& from, const std::string& name) {
  const auto found = from.find(name);
  return found == from.end() ? nullptr : found->second;
}

graph::decode_layer layer_of(const placed& from, std::uint32_t index) {
  const std::string prefix = "model.layers." + std::to_string(index) + ".";
  const auto named = [&](const char* part) { return optional(from, prefix + part); };
  graph::decode_layer layer;
  layer.input_norm = named("input_layernorm.weight");
  layer.q = named("self_attn.q_proj.weight");
  layer.k = named("self_attn.k_proj.weight");
  layer.v = named("self_attn.v_proj.weight");
  layer.q_bias = named("self_attn.q_proj.bias");
  layer.k_bias = named("self_attn.k_proj.bias");
  layer.v_bias = named("self_attn.v_proj.bias");
  layer.q_norm = named("self_attn.q_norm.weight");
  layer.k_norm = named("self_attn.k_norm.weight");
  layer.o = named("self_attn.o_proj.weight");
  layer.mlp_norm = named("post_attention_layernorm.weight");
  layer.gate = named("mlp.gate_proj.weight");
  layer.up = named("mlp.up_proj.weight");
  layer.down = named("mlp.down_proj.weight");
  return layer;
}

result<std::uint64_t> needed_bytes(const checkpoint::checkpoint& from, gpu_weights& into) {
  std::uint64_t total = 0;
  bool is_first = true;
  for (const auto& tensor : checkpoint::expected_tensors(from.config())) {
    const checkpoint::tensor_view& view = view_of(from, tensor);
    ASSAY_TRY_ASSIGN(const ops::cuda::element type, element_of(view.type, tensor.name));
    if (!is_first && type != into.type)
      return ASSAY_FAIL(unusable_input, tensor.name +
                                            " has another type than the weights before it; a GPU "
                                            "takes one type a model: use --device host");
    into.type = type;
    is_first = false;
    total += aligned(view.bytes.size());
  }
  return total;
}

}  // namespace

result<gpu_buffer> gpu_buffer::create(device::cuda_device& on, std::uint64_t bytes) {
  ASSAY_TRY_ASSIGN(const device::buffer what, on.allocate(bytes));
  gpu_buffer made;
  made.device_ = &on;
  made.what_ = what;
  return made;
}

gpu_buffer::~gpu_buffer() {
  if (device_ != nullptr) (void)device_->free(what_);
}

gpu_buffer::gpu_buffer(gpu_buffer&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)), what_(std::exchange(other.what_, {})) {}

gpu_buffer& gpu_buffer::operator=(gpu_buffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(what_, other.what_);
  return *this;
}

result<void> check_weights_fit(std::uint64_t weights_bytes, std::uint64_t limit_bytes) {
  if (weights_bytes <= limit_bytes) return {};
  return ASSAY_FAIL(out_of_memory,
                    "the checkpoint's weights take " + std::to_string(weights_bytes) +
                        " bytes, and the GPU may use " + std::to_string(limit_bytes) +
                        "; use a smaller checkpoint, a larger --arena where one is "
                        "set, or --device host");
}

result<gpu_weights> gpu_weights::upload(const checkpoint::checkpoint& from, device::cuda_device& on,
                                        device::stream stream) {
  gpu_weights made;
  ASSAY_TRY_ASSIGN(const std::uint64_t bytes, needed_bytes(from, made));
  ASSAY_TRY(check_weights_fit(bytes, on.memory_limit_bytes()));
  ASSAY_TRY_ASSIGN(made.buffer, gpu_buffer::create(on, bytes));
  placed all;
  std::byte* at = made.buffer.address();
  for (const auto& tensor : checkpoint::expected_tensors(from.config())) {
    const checkpoint::tensor_view& view = view_of(from, tensor);
    ASSAY_TRY(on.copy_async(stream, at, view.bytes.data(), view.bytes.size(),
                            device::copy_direction::h2d));
    all.emplace(tensor.name, at);
    made.bytes += view.bytes.size();
    ++made.copies;
    at += aligned(view.bytes.size());
  }
  ASSAY_TRY(on.synchronize(stream));
  made.weights.embedding = optional(all, "model.embed_tokens.weight");
  made.weights.final_norm = optional(all, "model.norm.weight");
  made.weights.head =
      from.config().is_head_tied ? made.weights.embedding : optional(all, "lm_head.weight");
  for (std::uint32_t i = 0; i < from.config().layer_count; ++i)
    made.weights.layers.push_back(layer_of(all, i));
  return made;
}

}  // namespace assay::engine
