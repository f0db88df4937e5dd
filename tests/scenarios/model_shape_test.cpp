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

std::filesystem::path fixture() {
  return std::filesystem::path(ASSAY_FIXTURES) / "tiny/qwen3";
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
  void copy(const std::string& name) const {
    std::filesystem::copy_file(fixture() / name, folder_ / name);
  }
  std::filesystem::path folder_;
};

TEST_F(ModelShape, is_what_the_runtime_reads) {
  for (const auto& checkpoint : {embedded_checkpoint(), fixture()}) {
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
    EXPECT_EQ(static_cast<std::uintmax_t>(shape.file_bytes),
              std::filesystem::file_size(checkpoint / "model.safetensors"));
  }
}

TEST_F(ModelShape, takes_the_defaults_that_the_runtime_takes) {
  copy("model.safetensors");
  write("config.json", R"({"vocab_size": 512, "hidden_size": 128, "intermediate_size": 256,
    "num_hidden_layers": 3, "num_attention_heads": 8, "max_position_embeddings": 512})");
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

TEST_F(ModelShape, refuses_a_header_that_is_longer_than_any) {
  write("model.safetensors", std::string(8, '\xff') + "{}");
  copy("config.json");
  const auto refused = read_model_shape(folder_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::unusable_input);
}

}  // namespace
}  // namespace assay::scenarios
