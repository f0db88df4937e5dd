// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/config_family.h"

#include <array>

namespace assay::checkpoint {
namespace {

// Llama's classes know no window; a file that names one was made for another model's code. A
// tensor-parallel degree above 1 asks for sums in slices.
constexpr std::array<fixed_key, 6> llama{{
    {"architectures", R"(["LlamaForCausalLM"])", false},
    {"attention_bias", "false", false},
    {"sliding_window", "null", false},
    {"use_sliding_window", "false", false},
    {"max_window_layers", "null", false},
    {"pretraining_tp", "1", false},
}};

// Qwen2's biases are in its code, not in its config. A window of max_window_layers counts from
// either end, depending on the version that reads it.
constexpr std::array<fixed_key, 4> qwen2{{
    {"architectures", R"(["Qwen2ForCausalLM"])", false},
    {"attention_bias", "true", false},
    {"use_sliding_window", "false", false},
    {"use_mrope", "false", false},
}};

constexpr std::array<fixed_key, 3> qwen3{{
    {"architectures", R"(["Qwen3ForCausalLM"])", false},
    {"attention_bias", "false", false},
    {"use_sliding_window", "false", false},
}};

// First what tells that the file is for another model: its other complaints would mislead.
constexpr std::array<fixed_key, 7> of_all{{
    {"quantization_config", "null", false},
    {"hidden_act", R"("silu")", true},
    {"mlp_bias", "false", false},
    {"partial_rotary_factor", "1", false},
    {"is_encoder_decoder", "false", false},
    {"add_cross_attention", "false", false},
    {"pruned_heads", "{}", false},
}};

constexpr std::array<family, 3> all{{
    {architecture::llama, "llama", false, false, true, true, llama},
    {architecture::qwen2, "qwen2", true, false, true, false, qwen2},
    {architecture::qwen3, "qwen3", false, true, false, false, qwen3},
}};

}  // namespace

std::span<const family> families() {
  return all;
}

std::span<const fixed_key> fixed_keys_of_all() {
  return of_all;
}

}  // namespace assay::checkpoint
