// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/checkpoint/trap_files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::checkpoint::test {

using nlohmann::json;

temporary_folder::temporary_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "checkpoint.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

json header_for(const std::vector<stored_tensor>& tensors) {
  json header = json::object();
  std::size_t begin = 0;
  for (const stored_tensor& tensor : tensors) {
    const std::size_t end = begin + tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  return header;
}

std::string payload_of(const std::vector<stored_tensor>& tensors) {
  std::string payload;
  for (const stored_tensor& tensor : tensors) payload += tensor.bytes;
  return payload;
}

std::string safetensors_bytes(std::string_view header, std::string_view payload) {
  std::string file;
  for (std::size_t i = 0; i < 8; ++i)
    file += static_cast<char>(static_cast<unsigned char>(header.size() >> (8 * i)));
  return file.append(header).append(payload);
}

std::string safetensors_bytes(const std::vector<stored_tensor>& tensors) {
  return safetensors_bytes(header_for(tensors).dump(), payload_of(tensors));
}

json small_config() {
  return json::parse(R"({
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_act": "silu",
    "attention_bias": false, "use_sliding_window": false, "sliding_window": null,
    "vocab_size": 6, "hidden_size": 4, "intermediate_size": 10, "num_hidden_layers": 1,
    "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8,
    "max_position_embeddings": 32, "rms_norm_eps": 1e-06, "tie_word_embeddings": true,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    "layer_types": ["full_attention"], "eos_token_id": 5, "dtype": "float32"})");
}

namespace {

stored_tensor counted(std::string name, std::vector<std::uint64_t> shape) {
  std::size_t element_count = 1;
  for (const std::uint64_t extent : shape) element_count *= extent;
  stored_tensor tensor{std::move(name), "F32", std::move(shape), std::string(4 * element_count, 0)};
  for (std::size_t i = 0; i < element_count; ++i) {
    const float value = 0.25F + static_cast<float>(i) / 64.0F;
    std::memcpy(tensor.bytes.data() + 4 * i, &value, sizeof(value));
  }
  return tensor;
}

}  // namespace

std::vector<stored_tensor> small_tensors() {
  return {counted("model.embed_tokens.weight", {6, 4}),
          counted("model.layers.0.input_layernorm.weight", {4}),
          counted("model.layers.0.self_attn.q_proj.weight", {16, 4}),
          counted("model.layers.0.self_attn.k_proj.weight", {8, 4}),
          counted("model.layers.0.self_attn.v_proj.weight", {8, 4}),
          counted("model.layers.0.self_attn.q_norm.weight", {8}),
          counted("model.layers.0.self_attn.k_norm.weight", {8}),
          counted("model.layers.0.self_attn.o_proj.weight", {4, 16}),
          counted("model.layers.0.post_attention_layernorm.weight", {4}),
          counted("model.layers.0.mlp.gate_proj.weight", {10, 4}),
          counted("model.layers.0.mlp.up_proj.weight", {10, 4}),
          counted("model.layers.0.mlp.down_proj.weight", {4, 10}),
          counted("model.norm.weight", {4})};
}

stored_tensor& tensor_named(std::vector<stored_tensor>& tensors, std::string_view name) {
  for (stored_tensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::runtime_error("no such tensor in the test");
}

void write_checkpoint(const std::filesystem::path& folder, const json& config,
                      const std::vector<stored_tensor>& tensors) {
  write_file(folder / "config.json", config.dump(1));
  write_file(folder / "model.safetensors", safetensors_bytes(tensors));
}

result<model_config> parse(const json& config) {
  return parse_config(config.dump(), config_file);
}

void expect_complaint(const error& failed, error_kind kind, std::string_view file,
                      std::string_view field, std::string_view fault) {
  using ::testing::HasSubstr;
  EXPECT_EQ(failed.kind, kind) << failed.message;
  std::string start(file);
  if (!field.empty()) start.append(": ").append(field);
  EXPECT_THAT(failed.message, HasSubstr(start + ": "));
  EXPECT_THAT(failed.message, HasSubstr(std::string(fault)));
  const auto semicolon = failed.message.find("; ");
  ASSERT_NE(semicolon, std::string::npos) << failed.message;
  EXPECT_GT(failed.message.size(), semicolon + 2) << "no fix: " << failed.message;
  EXPECT_EQ(failed.message.find_first_of("\n\r\t"), std::string::npos) << failed.message;
  // Reports dump messages as JSON, which throws on what is not UTF-8.
  EXPECT_NO_THROW(static_cast<void>(json(failed.message).dump()));
}

}  // namespace assay::checkpoint::test
