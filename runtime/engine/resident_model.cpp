// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/resident_model.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/engine/submitter.h"
#include "runtime/telemetry/check.h"
#include "runtime/telemetry/range.h"

namespace assay::engine {
namespace {

using telemetry::counter_id;

using placed_weights = std::map<std::string, ops::weight, std::less<>>;

const checkpoint::tensor_view& view_of(const checkpoint::checkpoint& from,
                                       const checkpoint::expected_tensor& tensor) {
  const checkpoint::tensor_view* view = from.weights().find(tensor.name);
  ASSAY_CHECK(view != nullptr, "an opened checkpoint lacks a tensor that its config expects");
  return *view;
}

// A vector is one row; a matrix is as its file has it.
ops::weight describe(const checkpoint::tensor_view& view, const std::byte* at) {
  const bool is_vector = view.shape.size() == 1;
  return {at, static_cast<std::uint32_t>(is_vector ? 1 : view.shape[0]),
          static_cast<std::uint32_t>(view.shape.back()), view.type};
}

ops::weight take(const placed_weights& from, const std::string& name) {
  const auto found = from.find(name);
  ASSAY_CHECK(found != from.end(), "a weight that the architecture uses was not placed");
  return found->second;
}

layer_weights layer_of(const placed_weights& placed, const checkpoint::model_config& config,
                       std::uint32_t index) {
  const std::string prefix = "model.layers." + std::to_string(index) + ".";
  const auto named = [&](std::string_view part) {
    return take(placed, prefix + std::string(part));
  };
  layer_weights layer;
  layer.input_norm = named("input_layernorm.weight");
  layer.q = named("self_attn.q_proj.weight");
  layer.k = named("self_attn.k_proj.weight");
  layer.v = named("self_attn.v_proj.weight");
  if (config.has_qkv_bias) {
    layer.q_bias = named("self_attn.q_proj.bias");
    layer.k_bias = named("self_attn.k_proj.bias");
    layer.v_bias = named("self_attn.v_proj.bias");
  }
  if (config.has_qk_norm) {
    layer.q_norm = named("self_attn.q_norm.weight");
    layer.k_norm = named("self_attn.k_norm.weight");
  }
  layer.o = named("self_attn.o_proj.weight");
  layer.mlp_norm = named("post_attention_layernorm.weight");
  layer.gate = named("mlp.gate_proj.weight");
  layer.up = named("mlp.up_proj.weight");
  layer.down = named("mlp.down_proj.weight");
  return layer;
}

resident_model assembled(const placed_weights& placed, const checkpoint::model_config& config) {
  resident_model model;
  model.config = config;
  model.embedding = take(placed, "model.embed_tokens.weight");
  for (std::uint32_t i = 0; i < config.layer_count; ++i)
    model.layers.push_back(layer_of(placed, config, i));
  model.final_norm = take(placed, "model.norm.weight");
  model.head = config.is_head_tied ? model.embedding : take(placed, "lm_head.weight");
  return model;
}

result<placed_weights> copy_all(const checkpoint::checkpoint& from, std::byte* at,
                                submitter& transfer, telemetry::counter_writer& counters) {
  placed_weights placed;
  for (const auto& tensor : checkpoint::expected_tensors(from.config())) {
    const checkpoint::tensor_view& view = view_of(from, tensor);
    const std::uint64_t bytes = view.bytes.size();
    ASSAY_TRY(transfer.copy(at, view.bytes.data(), bytes, device::copy_direction::h2d));
    counters.add(counter_id::weights_h2d_bytes, static_cast<std::int64_t>(bytes));
    counters.add(counter_id::weights_h2d_copies_count, 1);
    counters.add(counter_id::checkpoint_loaded_tensors_count, 1);
    placed.emplace(tensor.name, describe(view, at));
    at += memory::granted_bytes(bytes);
  }
  return placed;
}

// One bracket around all copies: the event before the first to the event after the last.
result<placed_weights> copy_timed(const checkpoint::checkpoint& from, std::byte* at,
                                  device::device& on, telemetry::counter_writer& counters) {
  const device::scoped_range label(on, telemetry::range::weights);
  ASSAY_TRY_ASSIGN(submitter transfer, submitter::create(on, counters));
  ASSAY_TRY_ASSIGN(const event_pair bracket, event_pair::create(on));
  ASSAY_TRY(transfer.record(bracket.before));
  auto placed = copy_all(from, at, transfer, counters);
  if (placed) {
    if (auto ended = transfer.record(bracket.after); !ended)
      placed = failure(std::move(ended).error());
  }
  // The sources are a mapping that closes when this returns: wait even where a copy was refused.
  ASSAY_TRY(transfer.synchronize());
  if (!placed) return placed;
  ASSAY_TRY_ASSIGN(const std::int64_t h2d_ns, transfer.elapsed_ns(bracket));
  counters.add(counter_id::weights_h2d_ns, h2d_ns);
  std::uint64_t bytes = 0;
  for (const auto& [name, weight] : *placed) bytes += weight.bytes();
  if (h2d_ns > 0)
    counters.set_real(counter_id::weights_h2d_bytes_per_s,
                      static_cast<double>(bytes) * 1e9 / static_cast<double>(h2d_ns));
  return placed;
}

}  // namespace

resident_model resident_model::described(const checkpoint::checkpoint& from) {
  placed_weights nowhere;
  for (const auto& tensor : checkpoint::expected_tensors(from.config()))
    nowhere.emplace(tensor.name, describe(view_of(from, tensor), nullptr));
  return assembled(nowhere, from.config());
}

std::uint64_t resident_model::needed_bytes(const checkpoint::checkpoint& from) {
  std::uint64_t total = 0;
  for (const auto& tensor : checkpoint::expected_tensors(from.config()))
    total += memory::granted_bytes(view_of(from, tensor).bytes.size());
  return total;
}

result<resident_model> resident_model::upload(const checkpoint::checkpoint& from,
                                              std::shared_ptr<memory::arena> into,
                                              device::device& on,
                                              telemetry::counter_writer& counters) {
  ASSAY_TRY_ASSIGN(memory::device_buffer buffer, into->allocate(needed_bytes(from)));
  ASSAY_TRY_ASSIGN(const placed_weights placed, copy_timed(from, buffer.address(), on, counters));
  resident_model model = assembled(placed, from.config());
  model.arena = std::move(into);
  model.buffer = std::move(buffer);
  return model;
}

}  // namespace assay::engine
