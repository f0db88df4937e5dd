// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/step_plan.h"

#include <initializer_list>
#include <map>
#include <string_view>

#include "runtime/telemetry/check.h"
#include "scenarios/product_ledger.h"

namespace assay::scenarios {
namespace {

using telemetry::arithmetic;
using telemetry::planned_products;

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
    element_bytes_ = embedding_row_ / m.hidden;
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
  std::int64_t element_bytes() const { return element_bytes_; }

 private:
  std::map<std::string, std::int64_t> bytes_;
  std::int64_t embedding_row_ = 0;
  std::int64_t element_bytes_ = 0;
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

// Of one token: each weight is met once, by the f32 that it is multiplied with.
planned_products fixed(std::int64_t operations) {
  return {arithmetic::f32_fma, operations, 0, 0};
}

// Keys and values of one layer and token, in so wide elements.
planned_products by_context(const model_shape& m, arithmetic by, std::int64_t element_bytes) {
  return {by, 0, attention_operations(m), 2 * m.kv_heads * m.head_dim * element_bytes};
}

// From attention's output on, a layer is the same on both devices.
void add_rest(const model_shape& m, const weight_book& book, std::int64_t layer,
              std::vector<planned_launch>& to) {
  to.push_back({"output_projection", book.of_layer(layer, {"self_attn.o_proj.weight"}), false,
                fixed(output_operations(m))});
  to.push_back({"gated_mlp",
                book.of_layer(layer, {"post_attention_layernorm.weight", "mlp.gate_proj.weight",
                                      "mlp.up_proj.weight"}),
                false, fixed(gate_and_up_operations(m))});
  to.push_back({"down_projection", book.of_layer(layer, {"mlp.down_proj.weight"}), false,
                fixed(down_operations(m))});
}

}  // namespace

std::vector<planned_launch> host_step_plan(const model_shape& m) {
  constexpr std::int64_t cached_bytes = 4;  // the host device keeps f32
  const weight_book book(m);
  std::vector<planned_launch> plan{{"embedding", book.embedding_row(), false, fixed(0)}};
  for (std::int64_t layer = 0; layer < m.layers; ++layer) {
    plan.push_back({"norm_qkv", qkv_of(book, layer), false, fixed(qkv_operations(m))});
    plan.push_back({"rotary", gains_of(book, layer), false, fixed(0)});
    plan.push_back({"attention", 0, true, by_context(m, arithmetic::f32_fma, cached_bytes)});
    add_rest(m, book, layer, plan);
  }
  plan.push_back({"head", book.head(), false, fixed(head_operations(m))});
  return plan;
}

std::vector<planned_launch> gpu_step_plan(const model_shape& m) {
  const weight_book book(m);
  // Its cache has the type of its weights; 2-byte elements are what a matrix unit takes.
  const std::int64_t cached_bytes = book.element_bytes();
  const arithmetic by = cached_bytes == 2 ? arithmetic::bf16_tensor : arithmetic::f32_fma;
  std::vector<planned_launch> plan;
  for (std::int64_t layer = 0; layer < m.layers; ++layer) {
    plan.push_back({"norm_qkv", qkv_of(book, layer) + (layer == 0 ? book.embedding_row() : 0),
                    false, fixed(qkv_operations(m))});
    plan.push_back({"attention", gains_of(book, layer), true, by_context(m, by, cached_bytes)});
    add_rest(m, book, layer, plan);
  }
  plan.push_back({"head", book.head(), false, fixed(head_operations(m))});
  return plan;
}

}  // namespace assay::scenarios
