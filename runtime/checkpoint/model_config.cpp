// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/model_config.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/config_family.h"
#include "runtime/checkpoint/config_fields.h"
#include "runtime/checkpoint/config_keys.h"
#include "runtime/checkpoint/config_rope.h"
#include "runtime/checkpoint/json_text.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using std::filesystem::path;

result<const family*> read_family(const json& root, const path& file) {
  const json& value = field_or_null(root, "model_type");
  std::vector<std::string_view> names;
  for (const family& each : families()) {
    if (value == each.model_type) return &each;
    names.push_back(each.model_type);
  }
  return ASSAY_FAIL(
      unusable_input,
      complaint(file, "model_type", value.is_null() ? "is missing" : "is " + shown(value),
                fmt::format("only {} are implemented: use a checkpoint of one of them",
                            fmt::join(names, ", "))));
}

result<void> check_fixed(const json& root, const path& file, std::span<const fixed_key> keys) {
  for (const fixed_key& key : keys) {
    const json& value = field_or_null(root, key.name);
    if (value.is_null() && !key.is_required) continue;
    ASSAY_TRY(require_value(value, {file, std::string(key.name)}, json::parse(key.accepted)));
  }
  return {};
}

result<void> read_counts(const json& root, const path& file, const family& of,
                         model_config& config) {
  for (const count_key& key : count_keys()) {
    const json& value = field_or_null(root, key.name);
    if (value.is_null() && key.derived != nullptr && of.*key.derived) continue;
    ASSAY_TRY_ASSIGN(config.*key.slot,
                     read_count(value, {file, std::string(key.name)}, key.at_most));
  }
  return {};
}

// What the family's own code puts where the file is silent.
result<void> derive_heads(const path& file, model_config& config) {
  if (config.kv_head_count == 0) config.kv_head_count = config.head_count;
  if (config.head_dim != 0) return {};
  if (config.hidden_size % config.head_count != 0)
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, "head_dim",
                  fmt::format("is missing, and {} heads do not divide a hidden_size of {}",
                              config.head_count, config.hidden_size),
                  "write the head_dim that the model was trained with"));
  config.head_dim = config.hidden_size / config.head_count;
  return {};
}

result<void> read_head_tie(const json& root, const path& file, model_config& config) {
  const json& value = field_or_null(root, "tie_word_embeddings");
  if (!value.is_boolean())
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, "tie_word_embeddings",
                  value.is_null() ? "is missing" : "is " + shown(value), "write true or false"));
  config.is_head_tied = value.get<bool>();
  return {};
}

result<void> check_layer_types(const json& root, const path& file, std::uint32_t layer_count) {
  const json& types = field_or_null(root, "layer_types");
  if (types.is_null()) return {};
  if (!types.is_array() || types.size() != layer_count)
    return ASSAY_FAIL(unusable_input,
                      complaint(file, "layer_types",
                                types.is_array() ? fmt::format("has {} entries", types.size())
                                                 : "is " + shown(types),
                                fmt::format("write one for each of the {} layers", layer_count)));
  for (std::size_t i = 0; i < types.size(); ++i)
    ASSAY_TRY(require_value(types[i], {file, fmt::format("layer_types[{}]", i)}, "full_attention"));
  return {};
}

// The weights' own types are in their file; a type declared here that is none of these means that
// the weights are stored by a scheme of which the file does not tell.
result<void> check_dtype(const json& root, const path& file, const char* key) {
  static constexpr std::array<const char*, 3> known{"bfloat16", "float16", "float32"};
  const json& value = field_or_null(root, key);
  if (value.is_null()) return {};
  if (std::any_of(known.begin(), known.end(), [&](const char* name) { return value == name; }))
    return {};
  return ASSAY_FAIL(unusable_input, complaint(file, key, "is " + shown(value),
                                              "use a checkpoint in bfloat16, float16 or float32"));
}

result<void> check_heads(const path& file, const model_config& config) {
  if (config.head_count % config.kv_head_count != 0)
    return ASSAY_FAIL(unusable_input,
                      complaint(file, "num_key_value_heads",
                                fmt::format("is {}, which does not divide the {} attention heads",
                                            config.kv_head_count, config.head_count),
                                "write a divisor of num_attention_heads"));
  if (config.head_dim % 2 != 0)
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, "head_dim",
                  fmt::format("is {}, and rotary embedding turns pairs", config.head_dim),
                  "write an even number"));
  return {};
}

result<void> check_no_unknown(const json& root, const path& file, const family& of) {
  for (const auto& [name, value] : root.items()) {
    // Null is what transformers writes for a feature that is not set.
    if (value.is_null() || is_known_key(name, of)) continue;
    return ASSAY_FAIL(unusable_input,
                      complaint(file, name, "is a key whose effect is not known",
                                "delete it if it changes no logit, else use another checkpoint"));
  }
  return {};
}

}  // namespace

result<model_config> parse_config(std::string_view text, const path& file) {
  ASSAY_TRY_ASSIGN(const json root, parse_json(text, file));
  if (!root.is_object())
    return ASSAY_FAIL(unusable_input, complaint(file, "", "holds no JSON object",
                                                "replace it by the file that transformers wrote"));
  model_config config;
  ASSAY_TRY_ASSIGN(const family* const of, read_family(root, file));
  config.architecture = of->architecture;
  config.has_qkv_bias = of->has_qkv_bias;
  config.has_qk_norm = of->has_qk_norm;
  ASSAY_TRY(check_fixed(root, file, of->fixed));
  ASSAY_TRY(check_fixed(root, file, fixed_keys_of_all()));
  ASSAY_TRY(read_counts(root, file, *of, config));
  ASSAY_TRY(derive_heads(file, config));
  ASSAY_TRY(check_heads(file, config));
  ASSAY_TRY_ASSIGN(config.rms_norm_eps,
                   read_positive(field_or_null(root, "rms_norm_eps"), {file, "rms_norm_eps"}, 1.0));
  ASSAY_TRY(read_rope(root, file, config));
  ASSAY_TRY(read_head_tie(root, file, config));
  ASSAY_TRY(check_layer_types(root, file, config.layer_count));
  ASSAY_TRY(check_dtype(root, file, "dtype"));
  ASSAY_TRY(check_dtype(root, file, "torch_dtype"));
  ASSAY_TRY_ASSIGN(config.eos_token_ids, read_token_ids(field_or_null(root, "eos_token_id"),
                                                        {file, "eos_token_id"}, config.vocab_rows));
  ASSAY_TRY(check_no_unknown(root, file, *of));
  return config;
}

}  // namespace assay::checkpoint
