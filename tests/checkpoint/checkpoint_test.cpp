// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a checkpoint that lacks a weight, or has it transposed, would decode to text
// that is merely bad, and byte counts that audits rest on would have one source only.
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/generation_config.h"

#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/trap_files.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using test::expect_complaint;
using test::read_file;
using test::small_config;
using test::small_tensors;
using test::stored_tensor;
using test::temporary_folder;
using test::tensor_named;
using test::write_checkpoint;
using test::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Checkpoint : public ::testing::Test {
 protected:
  void expect_fault(const char* file, const char* field, const char* fault) {
    const auto opened = checkpoint::open(folder_.path());
    ASSERT_FALSE(opened);
    expect_complaint(opened.error(), error_kind::unusable_input, (folder_.path() / file).string(),
                     field, fault);
  }

  // A checkpoint that is whole but for what `breaks` does to its tensors.
  void expect_tensor_fault(const std::function<void(std::vector<stored_tensor>&)>& breaks,
                           const char* field, const char* fault) {
    std::vector<stored_tensor> tensors = small_tensors();
    breaks(tensors);
    write_checkpoint(folder_.path(), small_config(), tensors);
    expect_fault("model.safetensors", field, fault);
  }

  std::vector<std::int32_t> eos_ids_with(std::string_view generation_config) {
    write_checkpoint(folder_.path(), small_config(), small_tensors());
    write_file(folder_.path() / "generation_config.json", generation_config);
    const auto opened = checkpoint::open(folder_.path());
    if (opened) return opened->config().eos_token_ids;
    ADD_FAILURE() << opened.error().message;
    return {};
  }

  temporary_folder folder_;
};

TEST_F(Checkpoint, opens_what_is_whole) {
  write_checkpoint(folder_.path(), small_config(), small_tensors());
  const auto opened = checkpoint::open(folder_.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->config().layer_count, 1U);
  EXPECT_EQ(opened->weights().tensors().size(), 13U);
  EXPECT_THAT(opened->unused_tensors(), IsEmpty());
  EXPECT_EQ(opened->folder(), folder_.path());
}

// The sizes by a second way: arithmetic on the file's length, and sums over the header read here.
void expect_sizes(const std::filesystem::path& folder, std::size_t tensor_count) {
  const auto opened = checkpoint::open(folder);
  ASSERT_TRUE(opened) << opened.error().message;
  const std::string file = read_file(folder / "model.safetensors");
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.data(), 8);
  EXPECT_EQ(opened->weights().file_bytes(), file.size());
  EXPECT_EQ(opened->weights().tensor_bytes(), file.size() - 8 - header_bytes);
  EXPECT_EQ(opened->weights().tensors().size(), tensor_count);
  EXPECT_EQ(expected_tensors(opened->config()).size(), tensor_count);
  EXPECT_THAT(opened->unused_tensors(), IsEmpty());
  const json header = json::parse(file.substr(8, header_bytes));
  for (const tensor_view& tensor : opened->weights().tensors()) {
    const json& offsets = header.at(tensor.name).at("data_offsets");
    const std::size_t begin = 8 + header_bytes + offsets[0].get<std::size_t>();
    ASSERT_EQ(tensor.bytes.size(), offsets[1].get<std::size_t>() - offsets[0].get<std::size_t>());
    EXPECT_EQ(std::memcmp(tensor.bytes.data(), file.data() + begin, tensor.bytes.size()), 0);
    EXPECT_EQ(json(tensor.shape), header.at(tensor.name).at("shape"));
  }
}

TEST(RealCheckpoint, embedded_has_the_sizes_of_its_file) {
  expect_sizes(ASSAY_SOURCE_DIR "/scenarios/embedded/micro-qwen3", 46);
}

// 9 weights a layer that every family has, 2 head norms of Qwen3 or 3 biases of Qwen2, and the
// embedding, the final norm and an untied head.
TEST(RealCheckpoint, tiny_ones_have_the_sizes_of_their_files) {
  expect_sizes(ASSAY_FIXTURES "/tiny/qwen3", 3 * 11 + 2);
  expect_sizes(ASSAY_FIXTURES "/tiny/llama", 3 * 9 + 3);
  expect_sizes(ASSAY_FIXTURES "/tiny/llama3", 3 * 9 + 2);
  expect_sizes(ASSAY_FIXTURES "/tiny/qwen2", 3 * 12 + 2);
  expect_sizes(ASSAY_FIXTURES "/tiny/qwen2-f16", 2 * 12 + 3);
}

TEST(RealCheckpoint, first_and_last_embedding_are_the_numbers_of_the_reference) {
  const auto opened = checkpoint::open(ASSAY_FIXTURES "/tiny/qwen3");
  ASSERT_TRUE(opened) << opened.error().message;
  // reference.safetensors: hidden.embed is [4, 128], the embeddings of the last 4 of 190 input ids.
  const std::string reference = read_file(ASSAY_FIXTURES "/tiny/qwen3/reference.safetensors");
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, reference.data(), 8);
  const json header = json::parse(reference.substr(8, header_bytes));
  const auto at = [&](const char* name) {
    return reference.data() + 8 + header_bytes +
           header.at(name).at("data_offsets").at(0).get<std::size_t>();
  };
  const tensor_view* const table = opened->weights().find("model.embed_tokens.weight");
  ASSERT_NE(table, nullptr);
  for (std::size_t row = 0; row < 4; ++row) {
    std::int32_t id = 0;
    std::memcpy(&id, at("input_ids") + 4 * (186 + row), sizeof(id));
    const auto* const ours = table->bytes.data() + static_cast<std::size_t>(id) * 128 * 4;
    EXPECT_EQ(std::memcmp(ours, at("hidden.embed") + row * 128 * 4, 128 * 4), 0) << "row " << row;
  }
}

TEST(ExpectedTensors, stand_in_execution_order_with_the_shapes_of_qwen3) {
  model_config config;
  config.vocab_rows = 6;
  config.hidden_size = 4;
  config.intermediate_size = 10;
  config.layer_count = 1;
  config.head_count = 2;
  config.kv_head_count = 1;
  config.head_dim = 8;
  config.has_qk_norm = true;
  const std::vector<stored_tensor> by_hand = small_tensors();
  const std::vector<expected_tensor> expected = expected_tensors(config);
  ASSERT_EQ(expected.size(), 14U);
  for (std::size_t i = 0; i < by_hand.size(); ++i) {
    EXPECT_EQ(expected[i].name, by_hand[i].name);
    EXPECT_EQ(expected[i].shape, by_hand[i].shape) << expected[i].name;
  }
  EXPECT_EQ(expected.back().name, "lm_head.weight");
  EXPECT_THAT(expected.back().shape, ElementsAre(6, 4));
}

TEST(ExpectedTensors, of_the_other_families_leave_out_norms_and_add_biases) {
  model_config config;
  config.hidden_size = 4;
  config.layer_count = 1;
  config.head_count = 2;
  config.kv_head_count = 1;
  config.head_dim = 8;
  config.is_head_tied = true;
  EXPECT_EQ(expected_tensors(config).size(), 11U);
  config.has_qkv_bias = true;
  const std::vector<expected_tensor> expected = expected_tensors(config);
  ASSERT_EQ(expected.size(), 14U);
  const auto expect_at = [&](std::size_t i, const char* name, std::uint64_t rows) {
    EXPECT_EQ(expected[i].name, "model.layers.0.self_attn." + std::string(name));
    EXPECT_THAT(expected[i].shape, ElementsAre(rows));
  };
  expect_at(3, "q_proj.bias", 16);
  expect_at(5, "k_proj.bias", 8);
  expect_at(7, "v_proj.bias", 8);
}

TEST_F(Checkpoint, names_each_tensor_that_is_missing) {
  for (std::size_t i = 0; i < small_tensors().size(); ++i) {
    const std::string name = small_tensors()[i].name;
    expect_tensor_fault(
        [&](auto& tensors) { tensors.erase(tensors.begin() + static_cast<long>(i)); }, name.c_str(),
        "is missing");
  }
}

TEST_F(Checkpoint, asks_for_a_head_that_is_not_tied) {
  json config = small_config();
  config["tie_word_embeddings"] = false;
  write_checkpoint(folder_.path(), config, small_tensors());
  expect_fault("model.safetensors", "lm_head.weight", "is missing");
}

TEST_F(Checkpoint, lists_a_head_beside_a_tied_table_as_unused) {
  std::vector<stored_tensor> tensors = small_tensors();
  stored_tensor head = tensor_named(tensors, "model.embed_tokens.weight");
  head.name = "lm_head.weight";
  tensors.push_back(head);
  tensors.push_back({"model.rotary.inv_freq", "F32", {1}, "1234"});
  write_checkpoint(folder_.path(), small_config(), tensors);
  const auto opened = checkpoint::open(folder_.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(opened->unused_tensors(), ElementsAre("lm_head.weight", "model.rotary.inv_freq"));
}

TEST_F(Checkpoint, refuses_a_transposed_weight) {
  expect_tensor_fault(
      [](auto& tensors) {
        tensor_named(tensors, "model.layers.0.mlp.down_proj.weight").shape = {10, 4};
      },
      "model.layers.0.mlp.down_proj.weight", "has shape [10, 4], but config.json asks for [4, 10]");
}

TEST_F(Checkpoint, refuses_a_weight_of_another_rank) {
  expect_tensor_fault(
      [](auto& tensors) {
        tensor_named(tensors, "model.norm.weight").shape = {1, 4};
      },
      "model.norm.weight", "has shape [1, 4]");
}

TEST_F(Checkpoint, refuses_a_weight_of_whole_numbers) {
  expect_tensor_fault(
      [](auto& tensors) { tensor_named(tensors, "model.norm.weight").dtype = "I32"; },
      "model.norm.weight", "has dtype \"I32\"");
}

TEST_F(Checkpoint, names_the_first_weight_that_is_nan) {
  const auto spoil = [](auto& tensors) {
    const float bad = std::numeric_limits<float>::quiet_NaN();
    std::string& bytes = tensor_named(tensors, "model.layers.0.self_attn.k_proj.weight").bytes;
    std::memcpy(bytes.data() + 4 * 17, &bad, 4);
    std::memcpy(bytes.data() + 4 * 31, &bad, 4);
  };
  expect_tensor_fault(spoil, "model.layers.0.self_attn.k_proj.weight",
                      "element 17 is NaN or infinite");
}

TEST_F(Checkpoint, names_a_weight_that_is_infinite_in_the_last_place) {
  const auto spoil = [](auto& tensors) {
    const float bad = -std::numeric_limits<float>::infinity();
    std::string& bytes = tensor_named(tensors, "model.norm.weight").bytes;
    std::memcpy(bytes.data() + 12, &bad, 4);
  };
  expect_tensor_fault(spoil, "model.norm.weight", "element 3 is NaN or infinite");
}

// Under a limit on a GPU's memory the folder is opened once more for its shapes alone: the values
// are the load's to look at, once.
TEST_F(Checkpoint, opened_unread_is_held_to_shapes_and_not_to_values) {
  std::vector<stored_tensor> tensors = small_tensors();
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(tensor_named(tensors, "model.norm.weight").bytes.data(), &bad, 4);
  write_checkpoint(folder_.path(), small_config(), tensors);
  EXPECT_FALSE(checkpoint::open(folder_.path()));
  const auto opened = checkpoint::open_unread(folder_.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->weights().tensors().size(), tensors.size());
  tensor_named(tensors, "model.norm.weight").shape = {2, 2};
  write_checkpoint(folder_.path(), small_config(), tensors);
  const auto refused = checkpoint::open_unread(folder_.path());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("has shape [2, 2]"), std::string::npos)
      << refused.error().message;
}

TEST_F(Checkpoint, takes_float_types_side_by_side) {
  std::vector<stored_tensor> tensors = small_tensors();
  stored_tensor& norm = tensor_named(tensors, "model.norm.weight");
  norm.dtype = "BF16";
  norm.bytes.resize(8);
  write_checkpoint(folder_.path(), small_config(), tensors);
  const auto opened = checkpoint::open(folder_.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->weights().find("model.norm.weight")->type, dtype::bf16);
}

TEST_F(Checkpoint, prefers_the_end_tokens_of_the_generation_config) {
  EXPECT_THAT(eos_ids_with(R"({"eos_token_id": 3})"), ElementsAre(3));
  EXPECT_THAT(eos_ids_with(R"({"eos_token_id": [2, 4]})"), ElementsAre(2, 4));
  EXPECT_THAT(eos_ids_with(R"({"eos_token_id": null})"), IsEmpty());
  EXPECT_THAT(eos_ids_with(R"({"do_sample": false})"), ElementsAre(5));
}

TEST_F(Checkpoint, refuses_a_broken_generation_config) {
  write_checkpoint(folder_.path(), small_config(), small_tensors());
  const auto file = folder_.path() / "generation_config.json";
  write_file(file, R"({"eos_token_id": 6})");
  expect_fault("generation_config.json", "eos_token_id", "is 6");
  write_file(file, "{");
  expect_fault("generation_config.json", "line 1", "not valid JSON");
  write_file(file, "[]");
  expect_fault("generation_config.json", "", "no JSON object");
}

TEST_F(Checkpoint, names_what_a_generation_config_asks_for_in_vain) {
  const auto file = folder_.path() / "generation_config.json";
  const auto unapplied = [&](std::string_view text) {
    write_file(file, text);
    return read_generation_config(file, 6).value().unapplied_keys;
  };
  EXPECT_THAT(read_generation_config(file, 6).value().unapplied_keys, IsEmpty()) << "no such file";
  EXPECT_THAT(
      unapplied(R"({"do_sample": true, "temperature": 0.7, "repetition_penalty": 1.5,
                            "no_repeat_ngram_size": 2, "suppress_tokens": [7]})"),
      ElementsAre("do_sample", "repetition_penalty", "no_repeat_ngram_size", "suppress_tokens"));
  EXPECT_THAT(unapplied(R"({"do_sample": false, "top_k": 5, "repetition_penalty": 1, "num_beams": 1,
                            "min_length": 0, "bad_words_ids": null, "suppress_tokens": []})"),
              IsEmpty());
}

TEST_F(Checkpoint, names_a_config_that_is_missing_or_broken) {
  expect_fault("config.json", "", "is missing");
  write_file(folder_.path() / "config.json", "{\"model_type\": ");
  expect_fault("config.json", "line 1", "not valid JSON");
  json config = small_config();
  config["hidden_act"] = "gelu";
  write_file(folder_.path() / "config.json", config.dump());
  expect_fault("config.json", "hidden_act", "gelu");
  write_file(folder_.path() / "config.json", std::string((1 << 20) + 1, ' '));
  expect_fault("config.json", "", "more than the 1048576");
}

TEST_F(Checkpoint, names_weights_that_are_missing) {
  write_file(folder_.path() / "config.json", small_config().dump());
  expect_fault("model.safetensors", "", "is missing");
}

TEST_F(Checkpoint, names_a_folder_that_is_none) {
  const auto missing = folder_.path() / "no\nfolder";
  const auto opened = checkpoint::open(missing);
  ASSERT_FALSE(opened);
  expect_complaint(opened.error(), error_kind::unusable_input, R"(no\x0afolder)", "", "no folder");
}

}  // namespace
}  // namespace assay::checkpoint
