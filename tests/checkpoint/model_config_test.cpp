// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a config key that changes the logits could be skipped in silence, and one error
// could fill a screen, or crash the report that quotes it.
#include "runtime/checkpoint/model_config.h"

#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/trap_files.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using test::config_file;
using test::expect_complaint;
using test::parse;
using test::read_file;
using test::small_config;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The older spelling, as published Qwen3 checkpoints have it.
json older_config() {
  return json::parse(R"({
    "architectures": ["Qwen3ForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
    "bos_token_id": 151643, "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu",
    "hidden_size": 1024, "initializer_range": 0.02, "intermediate_size": 3072,
    "max_position_embeddings": 40960, "max_window_layers": 28, "model_type": "qwen3",
    "num_attention_heads": 16, "num_hidden_layers": 28, "num_key_value_heads": 8,
    "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 1000000, "sliding_window": null,
    "tie_word_embeddings": true, "torch_dtype": "bfloat16", "transformers_version": "4.51.0",
    "use_cache": true, "use_sliding_window": false, "vocab_size": 151936})");
}

TEST(ModelConfig, reads_every_field_of_the_newer_keys) {
  const auto config = parse_config(
      read_file(ASSAY_SOURCE_DIR "/scenarios/embedded/micro-qwen3/config.json"), config_file);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->architecture, architecture::qwen3);
  EXPECT_EQ(config->vocab_rows, 2048U);
  EXPECT_EQ(config->hidden_size, 256U);
  EXPECT_EQ(config->intermediate_size, 704U);
  EXPECT_EQ(config->layer_count, 4U);
  EXPECT_EQ(config->head_count, 8U);
  EXPECT_EQ(config->kv_head_count, 4U);
  EXPECT_EQ(config->head_dim, 32U);
  EXPECT_EQ(config->max_context_tokens, 2048U);
  EXPECT_EQ(config->rms_norm_eps, 1e-6);
  EXPECT_EQ(config->rope_theta, 1e6);
  EXPECT_TRUE(config->is_head_tied);
  EXPECT_THAT(config->eos_token_ids, ElementsAre(2045));
}

TEST(ModelConfig, reads_the_older_keys_of_published_checkpoints) {
  const auto config = parse(older_config());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->rope_theta, 1e6);
  EXPECT_EQ(config->head_dim, 128U);  // not hidden_size / num_attention_heads
  EXPECT_EQ(config->vocab_rows, 151936U);
  EXPECT_THAT(config->eos_token_ids, ElementsAre(151645));
}

TEST(ModelConfig, takes_a_config_without_an_end_token) {
  const auto config =
      parse_config(read_file(ASSAY_FIXTURES "/tiny/qwen3/config.json"), config_file);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->eos_token_ids, IsEmpty());
  EXPECT_EQ(config->kv_head_count, 2U);
}

TEST(ModelConfig, keeps_every_end_token_of_a_list) {
  json config = small_config();
  config["eos_token_id"] = {5, 0};
  EXPECT_THAT(parse(config)->eos_token_ids, ElementsAre(5, 0));
}

TEST(ModelConfig, reads_a_head_that_is_not_tied) {
  json config = small_config();
  config["tie_word_embeddings"] = false;
  EXPECT_FALSE(parse(config)->is_head_tied);
}

TEST(ModelConfig, takes_null_for_a_feature_that_is_not_set) {
  json config = small_config();
  for (const char* key : {"attention_bias", "use_sliding_window", "layer_types", "dtype",
                          "quantization_config", "rope_scaling", "rope_theta", "a_later_feature"})
    config[key] = nullptr;
  const auto parsed = parse(config);
  EXPECT_TRUE(parsed) << parsed.error().message;
}

TEST(ModelConfig, takes_default_rope_in_the_spellings_of_all_versions) {
  for (const char* scaling : {R"({"type": "default"})", R"({"rope_type": "default"})",
                              R"({"type": "default", "rope_type": "default"})",
                              R"({"rope_type": "default", "partial_rotary_factor": 1.0})"}) {
    json config = older_config();
    config["rope_scaling"] = json::parse(scaling);
    EXPECT_TRUE(parse(config)) << scaling;
  }
}

// One key of a config that is otherwise right, set to a value (or taken away), and what the error
// must say of it.
struct model_trap {
  const char* name;
  const char* key;
  const char* value;  // JSON; empty: the key is removed
  const char* fault;
  const char* field = nullptr;  // where it is not the key itself
};

void PrintTo(const model_trap& t, std::ostream* stream) {
  *stream << t.name;
}

class ConfigTrap : public ::testing::TestWithParam<model_trap> {};

TEST_P(ConfigTrap, is_refused_by_file_field_and_fix) {
  json config = small_config();
  ASSERT_TRUE(parse(config)) << "the unbroken config is refused: " << parse(config).error().message;
  const model_trap& t = GetParam();
  if (std::string_view(t.value).empty())
    config.erase(t.key);
  else
    config[t.key] = json::parse(t.value);
  const auto parsed = parse(config);
  ASSERT_FALSE(parsed);
  expect_complaint(parsed.error(), error_kind::unusable_input, "some/config.json",
                   t.field != nullptr ? t.field : t.key, t.fault);
}

constexpr model_trap traps[] = {
    {"another_model", "model_type", R"("qwen3_moe")", R"(is "qwen3_moe")"},
    {"a_model_by_number", "model_type", "3", "is 3"},
    {"the_architecture_of_another_family", "architectures", R"(["LlamaForCausalLM"])", "Llama"},
    {"no_model", "model_type", "", "is missing"},
    {"another_architecture", "architectures", R"(["Qwen3ForSequenceClassification"])",
     "Classification"},
    {"two_architectures", "architectures", R"(["Qwen3ForCausalLM", "Other"])", "Other"},
    {"another_activation", "hidden_act", R"("gelu")", R"(is "gelu")"},
    {"no_activation", "hidden_act", "", "is missing"},
    {"biases", "attention_bias", "true", "is true"},
    {"inner_biases", "mlp_bias", "true", "is true"},
    {"windows", "use_sliding_window", "true", "is true"},
    {"a_window_layer", "layer_types", R"(["sliding_attention"])", "sliding_attention",
     "layer_types[0]"},
    {"more_layer_types_than_layers", "layer_types", R"(["full_attention", "full_attention"])",
     "has 2 entries"},
    {"layer_types_as_text", "layer_types", R"("full_attention")", "full_attention"},
    {"quantisation", "quantization_config", R"({"quant_method": "fp8"})", "fp8"},
    {"a_type_of_8_bits", "dtype", R"("float8_e4m3fn")", "float8_e4m3fn"},
    {"an_older_type_of_8_bits", "torch_dtype", R"("int8")", "int8"},
    {"pruned_heads", "pruned_heads", R"({"0": [1]})", "[1]"},
    {"an_unknown_key", "attn_logit_softcapping", "30.0", "effect is not known"},
    {"half_rotary_at_the_top", "partial_rotary_factor", "0.5", "is 0.5"},

    {"yarn", "rope_parameters", R"({"rope_type": "yarn", "factor": 4.0, "rope_theta": 1e6})",
     R"(is "yarn")", "rope_parameters.rope_type"},
    {"llama3_scaling_without_its_numbers", "rope_scaling",
     R"({"rope_type": "llama3", "factor": 8.0})", "is missing", "rope_scaling.low_freq_factor"},
    {"two_blocks_that_differ_in_scaling", "rope_scaling",
     R"({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
         "original_max_position_embeddings": 16})",
     "another scaling than rope_parameters", "rope_scaling"},
    {"linear_scaling_in_oldest_keys", "rope_scaling", R"({"type": "linear", "factor": 2.0})",
     R"(is "linear")", "rope_scaling.type"},
    {"two_rope_types", "rope_scaling", R"({"type": "yarn", "rope_type": "default"})",
     R"(is "yarn")", "rope_scaling.type"},
    {"two_rope_types_the_other_way_round", "rope_scaling",
     R"({"type": "default", "rope_type": "yarn"})", R"(is "yarn", but rope_scaling.type is)",
     "rope_scaling.rope_type"},
    {"rope_without_type", "rope_parameters", R"({"rope_theta": 1e6})", "is missing",
     "rope_parameters.rope_type"},
    {"an_unknown_rope_parameter", "rope_parameters",
     R"({"rope_type": "default", "rope_theta": 1e6, "factor": 4.0})", "not implemented",
     "rope_parameters.factor"},
    {"half_rotary", "rope_parameters",
     R"({"rope_type": "default", "rope_theta": 1e6, "partial_rotary_factor": 0.5})", "is 0.5",
     "rope_parameters.partial_rotary_factor"},
    {"rope_for_each_layer_type", "rope_parameters",
     R"({"full_attention": {"rope_type": "default", "rope_theta": 1e6}})", "is missing",
     "rope_parameters.rope_type"},
    {"rope_as_text", "rope_parameters", R"("default")", "is \"default\""},
    {"no_theta", "rope_parameters", R"({"rope_type": "default"})", "is missing", "rope_theta"},
    {"theta_of_zero", "rope_parameters", R"({"rope_type": "default", "rope_theta": 0})", "is 0",
     "rope_parameters.rope_theta"},
    {"negative_theta", "rope_theta", "-1.0", "is -1.0"},
    {"two_thetas", "rope_theta", "500000.0", "is 500000, but rope_parameters.rope_theta is 10000"},

    {"no_vocabulary", "vocab_size", "", "is missing"},
    {"an_empty_vocabulary", "vocab_size", "0", "is 0"},
    {"a_vocabulary_of_null", "vocab_size", "null", "is missing"},
    {"a_fraction_of_hidden", "hidden_size", "4.0", "is 4.0"},
    {"hidden_as_text", "hidden_size", R"("4")", R"(is "4")"},
    {"hidden_as_truth", "hidden_size", "true", "is true"},
    {"negative_layers", "num_hidden_layers", "-1", "is -1"},
    {"more_layers_than_fit", "num_hidden_layers", "1025", "is 1025"},
    {"hidden_beyond_64_bits", "hidden_size", "18446744073709551616", "is 1.844"},
    {"hidden_that_wraps_to_4", "hidden_size", "4294967300", "is 4294967300"},
    {"no_kv_heads", "num_key_value_heads", "", "is missing"},
    {"kv_heads_that_do_not_divide", "num_key_value_heads", "3", "does not divide"},
    {"an_odd_head", "head_dim", "7", "is 7"},
    {"no_head_dim", "head_dim", "", "is missing"},
    {"no_context", "max_position_embeddings", "0", "is 0"},
    {"no_eps", "rms_norm_eps", "", "is missing"},
    {"eps_of_zero", "rms_norm_eps", "0.0", "is 0.0"},
    {"negative_eps", "rms_norm_eps", "-1e-6", "is -1e-06"},
    {"eps_of_one", "rms_norm_eps", "1", "is 1"},
    {"eps_as_text", "rms_norm_eps", R"("1e-6")", "1e-6"},
    {"no_word_on_tying", "tie_word_embeddings", "", "is missing"},
    {"tying_by_number", "tie_word_embeddings", "1", "is 1"},

    {"an_end_token_beyond_the_vocabulary", "eos_token_id", "6", "is 6"},
    {"a_negative_end_token", "eos_token_id", "-1", "is -1"},
    {"an_end_token_as_text", "eos_token_id", R"("</s>")", "</s>"},
    {"a_list_with_a_bad_end_token", "eos_token_id", "[5, 1.5]", "is 1.5"},
    {"a_list_in_a_list_of_end_tokens", "eos_token_id", "[[5]]", "is [5]"},
};

INSTANTIATE_TEST_SUITE_P(Each, ConfigTrap, ::testing::ValuesIn(traps),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ModelConfig, says_where_broken_json_breaks) {
  const auto parsed = parse_config("{\n\"model_type\": \"qwen3\",\n}", config_file);
  ASSERT_FALSE(parsed);
  expect_complaint(parsed.error(), error_kind::unusable_input, "some/config.json", "line 3",
                   "not valid JSON");
}

TEST(ModelConfig, refuses_what_is_no_object) {
  for (const char* text : {"", "[]", "null", "\"qwen3\"", "4"}) {
    const auto parsed = parse_config(text, config_file);
    ASSERT_FALSE(parsed) << text;
    expect_complaint(parsed.error(), error_kind::unusable_input, "some/config.json", "", "JSON");
  }
}

TEST(ModelConfig, names_a_foreign_model_before_its_other_faults) {
  const auto parsed = parse_config(R"({"zeta": 1, "model_type": "gpt_oss"})", config_file);
  ASSERT_FALSE(parsed);
  expect_complaint(parsed.error(), error_kind::unusable_input, "some/config.json", "model_type",
                   "gpt_oss");
}

TEST(ModelConfig, shows_a_hostile_key_on_one_line) {
  json config = small_config();
  config["a\nFAKE: error\x1b[2J"] = 1;
  const auto parsed = parse(config);
  ASSERT_FALSE(parsed);
  expect_complaint(parsed.error(), error_kind::unusable_input, "some/config.json",
                   R"(a\x0aFAKE: error\x1b[2J)", "not known");
}

}  // namespace
}  // namespace assay::checkpoint
