// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the ledger's own reader could misread what the runtime reads right: every run
// would then accuse honest counters, or a fallback would go unused until somebody needs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/checkpoint/checkpoint.h"
#include "scenarios/embedded.h"
#include "scenarios/ledger.h"

namespace assay::scenarios {
namespace {

std::filesystem::path fixture(const std::string& name = "qwen3") {
  return std::filesystem::path(ASSAY_FIXTURES) / "tiny" / name;
}

// A folder that goes away with the test.
class ModelShape : public ::testing::Test {
 protected:
  ModelShape() {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ModelShape() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void copy(const std::string& name, const std::string& from = "qwen3") const {
    std::filesystem::copy_file(fixture(from) / name, folder_ / name);
  }
  std::filesystem::path folder_;
};

TEST_F(ModelShape, is_what_the_runtime_reads) {
  for (const auto& checkpoint :
       {embedded_checkpoint(), fixture(), fixture("llama"), fixture("llama3"), fixture("qwen2"),
        fixture("qwen2-f16"), fixture("llama-bf16-sharded")}) {
    const model_shape shape = read_model_shape(checkpoint).value();
    const auto opened = checkpoint::checkpoint::open(checkpoint).value();
    const checkpoint::model_config& config = opened.config();
    EXPECT_EQ(shape.vocab_rows, config.vocab_rows);
    EXPECT_EQ(shape.hidden, config.hidden_size);
    EXPECT_EQ(shape.intermediate, config.intermediate_size);
    EXPECT_EQ(shape.layers, config.layer_count);
    EXPECT_EQ(shape.heads, config.head_count);
    EXPECT_EQ(shape.kv_heads, config.kv_head_count);
    EXPECT_EQ(shape.head_dim, config.head_dim);
    EXPECT_EQ(shape.max_context_tokens, config.max_context_tokens);
    EXPECT_EQ(shape.is_head_tied, config.is_head_tied);
    EXPECT_EQ(shape.has_qkv_bias, config.has_qkv_bias);
    EXPECT_EQ(shape.has_qk_norm, config.has_qk_norm);
    std::int64_t payload_bytes = 0;
    for (const auto& tensor : checkpoint::expected_tensors(config)) {
      const auto* view = opened.weights().find(tensor.name);
      ASSERT_NE(view, nullptr) << tensor.name;
      payload_bytes += static_cast<std::int64_t>(view->bytes.size());
    }
    EXPECT_EQ(shape.payload_bytes, payload_bytes);
    EXPECT_EQ(shape.payload_bytes, weight_bytes(shape));
    EXPECT_EQ(shape.header_tensor_count,
              static_cast<std::int64_t>(checkpoint::expected_tensors(config).size()));
    std::uintmax_t stat_bytes = 0;
    const auto files = weight_files_of(checkpoint).value();
    for (const auto& file : files) stat_bytes += std::filesystem::file_size(file);
    EXPECT_EQ(static_cast<std::uintmax_t>(shape.file_bytes), stat_bytes);
  }
}

TEST_F(ModelShape, takes_the_defaults_that_the_runtime_takes) {
  copy("model.safetensors", "llama");
  write("config.json", R"({"vocab_size": 512, "hidden_size": 128, "intermediate_size": 256,
    "num_hidden_layers": 3, "num_attention_heads": 8, "max_position_embeddings": 512,
    "model_type": "llama"})");
  const model_shape shape = read_model_shape(folder_).value();
  EXPECT_EQ(shape.kv_heads, 8);
  EXPECT_EQ(shape.head_dim, 16);
  EXPECT_FALSE(shape.is_head_tied);
}

TEST_F(ModelShape, names_the_file_that_it_cannot_read) {
  const auto missing = read_model_shape(folder_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, error_kind::io);
  EXPECT_THAT(missing.error().message, ::testing::HasSubstr("model.safetensors"));
  copy("model.safetensors");
  write("config.json", R"({"vocab_size": 512})");
  const auto broken = read_model_shape(folder_);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, error_kind::unusable_input);
  EXPECT_THAT(broken.error().message, ::testing::HasSubstr("hidden_size"));
}

// Two files of bytes that the test counts: header 1 has 2 tensors, header 2 one.
TEST_F(ModelShape, adds_up_the_files_that_an_index_names) {
  const auto file = [](const std::string& header, std::size_t payload_bytes) {
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(header.size());
    return bytes + header + std::string(payload_bytes, 'x');
  };
  const std::string one = R"({"model.embed_tokens.weight":{"dtype":"F16","shape":[2,2],)"
                          R"("data_offsets":[0,8]}})";
  const std::string two = R"({"model.norm.weight":{"dtype":"F32","shape":[2],)"
                          R"("data_offsets":[0,8]}})";
  write("a.safetensors", file(two, 8));
  write("b.safetensors", file(one, 8));
  write("unnamed.safetensors", file(one, 8));
  write("model.safetensors.index.json", R"({"weight_map": {"model.norm.weight": "a.safetensors",
    "model.embed_tokens.weight": "b.safetensors"}})");
  write("config.json", R"({"vocab_size": 2, "hidden_size": 2, "intermediate_size": 4,
    "num_hidden_layers": 0, "num_attention_heads": 1, "max_position_embeddings": 8,
    "tie_word_embeddings": true, "model_type": "llama"})");
  const model_shape shape = read_model_shape(folder_).value();
  EXPECT_EQ(shape.file_bytes, static_cast<std::int64_t>(8 + one.size() + 8 + 8 + two.size() + 8));
  EXPECT_EQ(shape.payload_bytes, 16);
  EXPECT_EQ(shape.header_tensor_count, 2);
  EXPECT_EQ(weight_bytes(shape), 16);
  EXPECT_THAT(weight_files_of(folder_).value(),
              ::testing::ElementsAre(folder_ / "a.safetensors", folder_ / "b.safetensors"));
  EXPECT_EQ(embedding_head(folder_, 4).value(), std::vector<std::byte>(4, std::byte{'x'}));
  std::filesystem::remove(folder_ / "a.safetensors");
  EXPECT_EQ(read_model_shape(folder_).error().kind, error_kind::io);
}

TEST_F(ModelShape, names_a_weight_that_no_header_has) {
  copy("model.safetensors", "llama");
  copy("config.json", "qwen3");
  const auto missing = read_model_shape(folder_);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, ::testing::HasSubstr("q_norm"));
  EXPECT_EQ(embedding_head(folder_, 4).value().size(), 4U);
}

TEST_F(ModelShape, refuses_a_header_that_is_longer_than_any) {
  write("model.safetensors", std::string(8, '\xff') + "{}");
  copy("config.json");
  const auto refused = read_model_shape(folder_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::unusable_input);
}

}  // namespace
}  // namespace assay::scenarios
