// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/step_plan.h"

#include <initializer_list>
#include <map>
#include <string_view>

#include "runtime/telemetry/check.h"

namespace assay::scenarios {
namespace {

// Bytes of weights by what they belong to.
class weight_book {
 public:
  explicit weight_book(const model_shape& m) {
    for (const weight_entry& each : weights_of(m)) {
      const auto width = m.width_bytes_of_tensor.find(each.name);
      ASSAY_CHECK(width != m.width_bytes_of_tensor.end(), "no header names a weight of the ledger");
      bytes_[each.name] = each.elements * width->second;
    }
    embedding_row_ = bytes_.at("model.embed_tokens.weight") / m.vocab_rows;
  }

  // Weights of a layer that the architecture has; those that it has not are none.
  std::int64_t of_layer(std::int64_t layer, std::initializer_list<std::string_view> parts) const {
    std::int64_t sum = 0;
    for (const std::string_view part : parts) {
      const auto found =
          bytes_.find("model.layers." + std::to_string(layer) + "." + std::string(part));
      if (found != bytes_.end()) sum += found->second;
    }
    return sum;
  }
  // Where the head is tied, it is the table.
  std::int64_t head() const {
    const auto own = bytes_.find("lm_head.weight");
    return bytes_.at("model.norm.weight") +
           (own != bytes_.end() ? own->second : bytes_.at("model.embed_tokens.weight"));
  }
  std::int64_t embedding_row() const { return embedding_row_; }

 private:
  std::map<std::string, std::int64_t> bytes_;
  std::int64_t embedding_row_ = 0;
};

std::int64_t qkv_of(const weight_book& book, std::int64_t layer) {
  return book.of_layer(
      layer, {"input_layernorm.weight", "self_attn.q_proj.weight", "self_attn.k_proj.weight",
              "self_attn.v_proj.weight", "self_attn.q_proj.bias", "self_attn.k_proj.bias",
              "self_attn.v_proj.bias"});
}

std::int64_t gains_of(const weight_book& book, std::int64_t layer) {
  return book.of_layer(layer, {"self_attn.q_norm.weight", "self_attn.k_norm.weight"});
}

// From attention's output on, a layer is the same on both devices.
void add_rest(const weight_book& book, std::int64_t layer, std::vector<planned_launch>& to) {
  to.push_back({"output_projection", book.of_layer(layer, {"self_attn.o_proj.weight"}), false});
  to.push_back({"gated_mlp",
                book.of_layer(layer, {"post_attention_layernorm.weight", "mlp.gate_proj.weight",
                                      "mlp.up_proj.weight"}),
                false});
  to.push_back({"down_projection", book.of_layer(layer, {"mlp.down_proj.weight"}), false});
}

}  // namespace

std::vector<planned_launch> host_step_plan(const model_shape& m) {
  const weight_book book(m);
  std::vector<planned_launch> plan{{"embedding", book.embedding_row(), false}};
  for (std::int64_t layer = 0; layer < m.layers; ++layer) {
    plan.push_back({"norm_qkv", qkv_of(book, layer), false});
    plan.push_back({"rotary", gains_of(book, layer), false});
    plan.push_back({"attention", 0, true});
    add_rest(book, layer, plan);
  }
  plan.push_back({"head", book.head(), false});
  return plan;
}

std::vector<planned_launch> gpu_step_plan(const model_shape& m) {
  const weight_book book(m);
  std::vector<planned_launch> plan;
  for (std::int64_t layer = 0; layer < m.layers; ++layer) {
    plan.push_back(
        {"norm_qkv", qkv_of(book, layer) + (layer == 0 ? book.embedding_row() : 0), false});
    plan.push_back({"attention", gains_of(book, layer), true});
    add_rest(book, layer, plan);
  }
  plan.push_back({"head", book.head(), false});
  return plan;
}

}  // namespace assay::scenarios
