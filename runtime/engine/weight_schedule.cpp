// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/weight_schedule.h"

#include <initializer_list>

#include "runtime/engine/resident_model.h"
#include "runtime/memory/arena.h"

namespace assay::engine {
namespace {

using names = std::vector<std::string>;

// The operators of a layer that read weights, as forward_pass launches them.
void add_layer(std::vector<names>& to, const checkpoint::model_config& config,
               std::uint32_t index) {
  const std::string prefix = "model.layers." + std::to_string(index) + ".";
  const auto add = [&](std::initializer_list<const char*> parts) {
    names& of = to.emplace_back();
    for (const char* part : parts) of.push_back(prefix + part);
  };
  add({"input_layernorm.weight", "self_attn.q_proj.weight", "self_attn.k_proj.weight",
       "self_attn.v_proj.weight"});
  if (config.has_qkv_bias)
    for (const char* part :
         {"self_attn.q_proj.bias", "self_attn.k_proj.bias", "self_attn.v_proj.bias"})
      to.back().push_back(prefix + part);
  if (config.has_qk_norm) add({"self_attn.q_norm.weight", "self_attn.k_norm.weight"});
  add({"self_attn.o_proj.weight"});
  add({"post_attention_layernorm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight"});
  add({"mlp.down_proj.weight"});
}

std::vector<names> names_of(const checkpoint::model_config& config) {
  std::vector<names> operators;
  for (std::uint32_t i = 0; i < config.layer_count; ++i) add_layer(operators, config, i);
  operators.push_back(
      {"model.norm.weight", config.is_head_tied ? "model.embed_tokens.weight" : "lm_head.weight"});
  return operators;
}

}  // namespace

std::uint64_t weight_schedule::step_bytes() const {
  std::uint64_t bytes = 0;
  for (const scheduled_weight& each : weights) bytes += each.content.size();
  return bytes;
}

std::vector<std::uint64_t> weight_schedule::placed_bytes() const {
  std::vector<std::uint64_t> bytes;
  for (const scheduled_weight& each : weights)
    bytes.push_back(memory::granted_bytes(each.content.size()));
  return bytes;
}

result<weight_schedule> schedule_of(const checkpoint::model_config& config,
                                    const checkpoint::weight_files& files) {
  weight_schedule made;
  for (const names& each : names_of(config)) {
    memory::operator_weights& weights = made.operators.emplace_back();
    for (const std::string& name : each) {
      const checkpoint::tensor_view* const found = files.find(name);
      if (found == nullptr)
        return ASSAY_FAIL(unusable_input, files.file_of(nullptr).string() + ": tensor " + name +
                                              " is missing; take config and weights from one "
                                              "revision of the model");
      weights.push_back(static_cast<std::uint32_t>(made.weights.size()));
      made.weights.push_back({name, found->bytes});
    }
  }
  return made;
}

std::vector<ops::weight*> slots_of(resident_model& model) {
  std::vector<ops::weight*> slots;
  const auto add = [&](std::initializer_list<ops::weight*> weights) {
    for (ops::weight* each : weights)
      if (each->rows > 0) slots.push_back(each);
  };
  for (layer_weights& l : model.layers) {
    add({&l.input_norm, &l.q, &l.k, &l.v, &l.q_bias, &l.k_bias, &l.v_bias});
    add({&l.q_norm, &l.k_norm, &l.o, &l.mlp_norm, &l.gate, &l.up, &l.down});
  }
  add({&model.final_norm, &model.head});
  return slots;
}

}  // namespace assay::engine
