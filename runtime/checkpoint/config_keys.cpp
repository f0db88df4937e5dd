// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/config_keys.h"

#include <algorithm>
#include <array>

namespace assay::checkpoint {
namespace {

// The bounds keep every product of fields within 64 bits: weights
// 2^10 layers * 3 * 2^18 hidden * 2^21 intermediate * 4 B < 2^53, KV cache
// 2^24 tokens * 2^10 layers * 2 * 2^10 heads * 2^11 head_dim * 4 B = 2^58; rows
// (2^10 heads * 2^11 head_dim) fit in 32. The largest public models
// of these families stay 8 times below each.
constexpr std::array<count_key, 8> counts{{
    {"vocab_size", &model_config::vocab_rows, 1U << 24},
    {"hidden_size", &model_config::hidden_size, 1U << 18},
    {"intermediate_size", &model_config::intermediate_size, 1U << 21},
    {"num_hidden_layers", &model_config::layer_count, 1U << 10},
    {"num_attention_heads", &model_config::head_count, 1U << 10},
    {"num_key_value_heads", &model_config::kv_head_count, 1U << 10, &family::derives_kv_heads},
    {"head_dim", &model_config::head_dim, 1U << 11, &family::derives_head_dim},
    {"max_position_embeddings", &model_config::max_context_tokens, 1U << 24},
}};

// Read by model_config.cpp and config_rope.cpp.
constexpr std::array<std::string_view, 10> read_elsewhere{
    "model_type",  "rms_norm_eps",        "rope_theta",   "rope_parameters", "rope_scaling",
    "layer_types", "tie_word_embeddings", "eos_token_id", "dtype",           "torch_dtype",
};

// None of these reaches a logit of the forward pass at inference.
constexpr std::array<std::string_view, 30> irrelevant{
    // training and initialisation
    "attention_dropout",
    "initializer_range",
    "problem_type",
    "finetuning_task",
    "id2label",
    "label2id",
    "task_specific_params",
    "tie_encoder_decoder",
    // windows: without use_sliding_window no layer has one
    "sliding_window",
    "max_window_layers",
    // ids that prompts may carry; the tokenizer and the caller decide
    "bos_token_id",
    "pad_token_id",
    "sep_token_id",
    "decoder_start_token_id",
    "tokenizer_class",
    "prefix",
    // how transformers runs a model and what it returns
    "use_cache",
    "return_dict",
    "output_attentions",
    "output_hidden_states",
    "torchscript",
    "use_bfloat16",
    "tf_legacy_loss",
    "chunk_size_feed_forward",
    "is_decoder",
    "_attn_implementation_autoset",
    // where the file comes from
    "transformers_version",
    "_name_or_path",
    "unsloth_fixed",
    "unsloth_version",
};

}  // namespace

std::span<const count_key> count_keys() {
  return counts;
}

bool is_known_key(std::string_view name, const family& of) {
  const auto is_named = [name](const auto& key) { return key.name == name; };
  const auto shared = fixed_keys_of_all();
  return std::any_of(counts.begin(), counts.end(), is_named) ||
         std::any_of(of.fixed.begin(), of.fixed.end(), is_named) ||
         std::any_of(shared.begin(), shared.end(), is_named) ||
         std::find(read_elsewhere.begin(), read_elsewhere.end(), name) != read_elsewhere.end() ||
         std::find(irrelevant.begin(), irrelevant.end(), name) != irrelevant.end();
}

}  // namespace assay::checkpoint
