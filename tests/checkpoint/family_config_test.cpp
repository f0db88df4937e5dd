// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a published Llama or Qwen2 could be refused for a key that changes nothing, or
// taken with a feature that the runtime does not have.
#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/checkpoint/model_config.h"
#include "tests/checkpoint/trap_files.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using test::config_file;
using test::expect_complaint;
using test::parse;
using test::read_file;
using ::testing::ElementsAre;

// The keys of the published files, in the spelling of transformers 4.
json llama_3_1_8b() {
  return json::parse(R"({
    "architectures": ["LlamaForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
    "bos_token_id": 128000, "eos_token_id": [128001, 128008, 128009], "hidden_act": "silu",
    "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 14336,
    "max_position_embeddings": 131072, "mlp_bias": false, "model_type": "llama",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "pretraining_tp": 1, "rms_norm_eps": 1e-05,
    "rope_scaling": {"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                     "original_max_position_embeddings": 8192, "rope_type": "llama3"},
    "rope_theta": 500000.0, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
    "transformers_version": "4.42.3", "use_cache": true, "vocab_size": 128256})");
}

json qwen2_5_0_5b() {
  return json::parse(R"({
    "architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 151643,
    "eos_token_id": 151643, "hidden_act": "silu", "hidden_size": 896, "initializer_range": 0.02,
    "intermediate_size": 4864, "max_position_embeddings": 32768, "max_window_layers": 24,
    "model_type": "qwen2", "num_attention_heads": 14, "num_hidden_layers": 24,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0,
    "sliding_window": 32768, "tie_word_embeddings": true, "torch_dtype": "bfloat16",
    "transformers_version": "4.40.1", "use_cache": true, "use_mrope": false,
    "use_sliding_window": false, "vocab_size": 151936})");
}

TEST(FamilyConfig, reads_a_published_llama) {
  const auto config = parse(llama_3_1_8b());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->architecture, architecture::llama);
  EXPECT_EQ(config->head_dim, 128U);  // said nowhere: 4096 / 32
  EXPECT_EQ(config->kv_head_count, 8U);
  EXPECT_EQ(config->rope_theta, 5e5);
  EXPECT_EQ(config->rope_scaling, (llama3_scaling{8.0, 1.0, 4.0, 8192}));
  EXPECT_EQ(config->rms_norm_eps, 1e-5);
  EXPECT_FALSE(config->is_head_tied);
  EXPECT_FALSE(config->has_qkv_bias);
  EXPECT_FALSE(config->has_qk_norm);
  EXPECT_THAT(config->eos_token_ids, ElementsAre(128001, 128008, 128009));
}

TEST(FamilyConfig, reads_a_published_qwen2) {
  const auto config = parse(qwen2_5_0_5b());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->architecture, architecture::qwen2);
  EXPECT_EQ(config->head_dim, 64U);  // 896 / 14
  EXPECT_TRUE(config->has_qkv_bias);
  EXPECT_FALSE(config->has_qk_norm);
  EXPECT_FALSE(config->rope_scaling);
  EXPECT_TRUE(config->is_head_tied);
}

// The same model as transformers 5 writes it.
TEST(FamilyConfig, reads_scaling_in_the_newer_spelling) {
  json config = llama_3_1_8b();
  json parameters = config["rope_scaling"];
  parameters["rope_theta"] = 500000.0;
  config["rope_parameters"] = parameters;
  for (const char* key : {"rope_scaling", "rope_theta", "torch_dtype"}) config.erase(key);
  config["dtype"] = "bfloat16";
  const auto newer = parse(config);
  ASSERT_TRUE(newer) << newer.error().message;
  EXPECT_TRUE(*newer == *parse(llama_3_1_8b()));
}

TEST(FamilyConfig, takes_both_spellings_side_by_side_where_they_agree) {
  json config = llama_3_1_8b();
  config["rope_parameters"] = config["rope_scaling"];
  config["rope_parameters"]["rope_theta"] = 500000;
  config["rope_scaling"]["type"] = "llama3";
  const auto both = parse(config);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_TRUE(*both == *parse(llama_3_1_8b()));
  config["rope_scaling"]["factor"] = 32.0;
  const auto split = parse(config);
  ASSERT_FALSE(split);
  expect_complaint(split.error(), error_kind::unusable_input, "some/config.json", "rope_scaling",
                   "another scaling than rope_parameters");
}

TEST(FamilyConfig, takes_as_many_kv_heads_as_heads_where_an_older_llama_is_silent) {
  json config = llama_3_1_8b();
  config.erase("num_key_value_heads");
  EXPECT_EQ(parse(config)->kv_head_count, 32U);
  config["head_dim"] = 64;
  EXPECT_EQ(parse(config)->head_dim, 64U);
}

TEST(FamilyConfig, reads_the_fixtures) {
  for (const auto& [name, kind] :
       {std::pair("llama", architecture::llama), std::pair("llama3", architecture::llama),
        std::pair("llama-bf16-sharded", architecture::llama),
        std::pair("qwen2", architecture::qwen2), std::pair("qwen2-f16", architecture::qwen2),
        std::pair("qwen3", architecture::qwen3)}) {
    const auto config = parse_config(
        read_file(ASSAY_FIXTURES + ("/tiny/" + std::string(name)) + "/config.json"), config_file);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->architecture, kind);
  }
}

struct family_trap {
  const char* name;
  const char* pointer;  // of JSON
  const char* value;    // empty: the key is removed
  const char* field;
  const char* fault;
};

void PrintTo(const family_trap& t, std::ostream* stream) {
  *stream << t.name;
}

void spring(const family_trap& t, json config) {
  ASSERT_TRUE(parse(config)) << "the unbroken config is refused: " << parse(config).error().message;
  const json::json_pointer at(t.pointer);
  if (std::string_view(t.value).empty())
    config.at(at.parent_pointer()).erase(at.back());
  else
    config[at] = json::parse(t.value);
  const auto parsed = parse(config);
  ASSERT_FALSE(parsed);
  expect_complaint(parsed.error(), error_kind::unusable_input, "some/config.json", t.field,
                   t.fault);
}

class LlamaTrap : public ::testing::TestWithParam<family_trap> {};
TEST_P(LlamaTrap, is_refused_by_file_field_and_fix) {
  spring(GetParam(), llama_3_1_8b());
}

class Qwen2Trap : public ::testing::TestWithParam<family_trap> {};
TEST_P(Qwen2Trap, is_refused_by_file_field_and_fix) {
  spring(GetParam(), qwen2_5_0_5b());
}

constexpr family_trap llama_traps[] = {
    {"biases", "/attention_bias", "true", "attention_bias", "is true"},
    {"inner_biases", "/mlp_bias", "true", "mlp_bias", "is true"},
    {"a_window", "/sliding_window", "4096", "sliding_window", "is 4096"},
    {"a_window_in_use", "/use_sliding_window", "true", "use_sliding_window", "is true"},
    {"sums_in_slices", "/pretraining_tp", "2", "pretraining_tp", "is 2"},
    {"a_head_of_another_purpose", "/architectures", R"(["LlamaForSequenceClassification"])",
     "architectures", "Classification"},
    {"heads_that_do_not_divide", "/num_attention_heads", "24", "head_dim",
     "24 heads do not divide a hidden_size of 4096"},
    {"a_key_of_another_family", "/use_mrope", "false", "use_mrope", "not known"},
    {"no_factor", "/rope_scaling/factor", "", "rope_scaling.factor", "is missing"},
    {"a_factor_that_shortens", "/rope_scaling/factor", "0.5", "rope_scaling.factor", "is 0.5"},
    {"a_factor_of_zero", "/rope_scaling/factor", "0", "rope_scaling.factor", "is 0"},
    {"a_factor_as_text", "/rope_scaling/factor", R"("8")", "rope_scaling.factor", R"(is "8")"},
    {"no_low_factor", "/rope_scaling/low_freq_factor", "", "rope_scaling.low_freq_factor",
     "is missing"},
    {"no_high_factor", "/rope_scaling/high_freq_factor", "", "rope_scaling.high_freq_factor",
     "is missing"},
    {"bands_that_overlap", "/rope_scaling/high_freq_factor", "1.0", "rope_scaling.high_freq_factor",
     "not above the low_freq_factor of 1"},
    {"no_original_context", "/rope_scaling/original_max_position_embeddings", "",
     "rope_scaling.original_max_position_embeddings", "is missing"},
    {"half_a_position", "/rope_scaling/original_max_position_embeddings", "8192.5",
     "rope_scaling.original_max_position_embeddings", "is 8192.5"},
    {"a_parameter_of_yarn", "/rope_scaling/beta_fast", "32.0", "rope_scaling.beta_fast",
     "not implemented"},
    {"another_scaling", "/rope_scaling/rope_type", R"("longrope")", "rope_scaling.rope_type",
     R"(is "longrope")"},
    {"scaling_without_a_type", "/rope_scaling/rope_type", "", "rope_scaling.rope_type",
     "is missing"},
    {"no_theta", "/rope_theta", "", "rope_theta", "is missing"},
    {"theta_below_one", "/rope_theta", "1e-30", "rope_theta", "is 1e-30"},
};
INSTANTIATE_TEST_SUITE_P(Each, LlamaTrap, ::testing::ValuesIn(llama_traps),
                         [](const auto& each) { return std::string(each.param.name); });

constexpr family_trap qwen2_traps[] = {
    {"windows", "/use_sliding_window", "true", "use_sliding_window", "is true"},
    {"a_window_layer", "/layer_types", R"(["sliding_attention"])", "layer_types", "1 entries"},
    {"no_biases", "/attention_bias", "false", "attention_bias", "is false"},
    {"rotary_of_images", "/use_mrope", "true", "use_mrope", "is true"},
    {"no_kv_heads", "/num_key_value_heads", "", "num_key_value_heads", "is missing"},
    {"a_mixture", "/num_experts", "8", "num_experts", "not known"},
};
INSTANTIATE_TEST_SUITE_P(Each, Qwen2Trap, ::testing::ValuesIn(qwen2_traps),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace assay::checkpoint
