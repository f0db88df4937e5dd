// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>

#include "scenarios/ledger.h"

namespace assay::scenarios {
namespace {

using nlohmann::json;
using std::filesystem::path;

constexpr std::uint64_t largest_header_bytes = 100'000'000;
constexpr const char* embedding_name = "model.embed_tokens.weight";

std::int64_t width_of(const std::string& type) {
  if (type == "F32") return 4;
  return type == "BF16" || type == "F16" ? 2 : 0;
}

// Size of a tensor from its shape: the offsets beside it are what the runtime trusts.
std::int64_t shape_bytes(const json& tensor) {
  std::int64_t bytes = width_of(tensor.value("dtype", ""));
  for (const auto& extent : tensor.at("shape")) bytes *= extent.get<std::int64_t>();
  return bytes;
}

struct header {
  std::int64_t bytes = 0;
  json tensors;
};

result<header> read_header(const path& file, std::ifstream& in) {
  std::array<unsigned char, 8> size_bytes{};
  if (!in.read(reinterpret_cast<char*>(size_bytes.data()), 8))
    return ASSAY_FAIL(io, file.string() + ": the ledger cannot read the header's length");
  std::uint64_t header_bytes = 0;
  for (int i = 7; i >= 0; --i)
    header_bytes = header_bytes << 8 | size_bytes[static_cast<std::size_t>(i)];
  if (header_bytes > largest_header_bytes)
    return ASSAY_FAIL(unusable_input, file.string() + ": header length is out of range");
  std::string text(header_bytes, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(header_bytes)))
    return ASSAY_FAIL(io, file.string() + ": the ledger cannot read the header");
  return header{static_cast<std::int64_t>(header_bytes), json::parse(text)};
}

result<void> add_header(const path& file, model_shape& model) {
  std::ifstream in(file, std::ios::binary);
  ASSAY_TRY_ASSIGN(const header found, read_header(file, in));
  std::int64_t payload_bytes = 0;
  for (const auto& [name, tensor] : found.tensors.items()) {
    if (name == "__metadata__") continue;
    ++model.header_tensor_count;
    payload_bytes += shape_bytes(tensor);
    model.width_bytes_of_tensor[name] = width_of(tensor.value("dtype", ""));
  }
  model.payload_bytes += payload_bytes;
  model.file_bytes += 8 + found.bytes + payload_bytes;
  return {};
}

// What an architecture adds to the weights that all have is in its code, not in its config.
void add_config(const json& config, model_shape& model) {
  model.vocab_rows = config.at("vocab_size");
  model.hidden = config.at("hidden_size");
  model.intermediate = config.at("intermediate_size");
  model.layers = config.at("num_hidden_layers");
  model.heads = config.at("num_attention_heads");
  model.kv_heads = config.value("num_key_value_heads", model.heads);
  model.head_dim = config.value("head_dim", model.hidden / model.heads);
  model.max_context_tokens = config.at("max_position_embeddings");
  model.is_head_tied = config.value("tie_word_embeddings", false);
  const std::string type = config.value("model_type", "");
  model.has_qkv_bias = type == "qwen2";
  model.has_qk_norm = type == "qwen3";
}

result<void> check_tensors(const model_shape& model, const path& checkpoint) {
  for (const weight_entry& weight : weights_of(model))
    if (model.width_bytes_of_tensor.count(weight.name) == 0)
      return ASSAY_FAIL(unusable_input,
                        checkpoint.string() + ": the ledger finds no " + weight.name);
  return {};
}

error unreadable(const path& what, const json::exception& e) {
  return {error_kind::unusable_input,
          what.string() + ": the ledger cannot read it: " + std::string(e.what()), __FILE__,
          __LINE__};
}

}  // namespace

result<std::vector<path>> weight_files_of(const path& checkpoint) {
  std::error_code ignored;
  const path index = checkpoint / "model.safetensors.index.json";
  const path whole = checkpoint / "model.safetensors";
  if (std::filesystem::exists(whole, ignored) || !std::filesystem::exists(index, ignored))
    return std::vector<path>{whole};
  std::set<path> files;
  try {
    std::ifstream in(index);
    const json root = json::parse(in);
    for (const auto& entry : root.at("weight_map").items())
      files.insert(checkpoint / entry.value().get<std::string>());
  } catch (const json::exception& e) {
    return failure(unreadable(index, e));
  }
  return std::vector<path>(files.begin(), files.end());
}

result<model_shape> read_model_shape(const path& checkpoint) {
  model_shape model;
  try {
    ASSAY_TRY_ASSIGN(const std::vector<path> files, weight_files_of(checkpoint));
    for (const path& file : files) ASSAY_TRY(add_header(file, model));
    std::ifstream in(checkpoint / "config.json");
    add_config(json::parse(in), model);
  } catch (const json::exception& e) {
    return failure(unreadable(checkpoint, e));
  }
  ASSAY_TRY(check_tensors(model, checkpoint));
  return model;
}

namespace {

// Empty where this file does not hold the tensor.
result<std::vector<std::byte>> head_in(const path& file, const std::string& name,
                                       std::int64_t most_bytes) {
  std::ifstream in(file, std::ios::binary);
  ASSAY_TRY_ASSIGN(const header found, read_header(file, in));
  if (!found.tensors.contains(name)) return std::vector<std::byte>{};
  const json& offsets = found.tensors.at(name).at("data_offsets");
  const auto begin = offsets.at(0).get<std::int64_t>();
  const std::int64_t length = std::min(most_bytes, offsets.at(1).get<std::int64_t>() - begin);
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<std::int64_t>(length, 0)));
  in.seekg(8 + found.bytes + begin);
  if (in.read(reinterpret_cast<char*>(bytes.data()), length)) return bytes;
  return ASSAY_FAIL(io, file.string() + ": the ledger cannot read " + name);
}

}  // namespace

result<std::vector<std::byte>> embedding_head(const path& checkpoint, std::int64_t most_bytes) {
  return tensor_head(checkpoint, embedding_name, most_bytes);
}

result<std::vector<std::byte>> tensor_head(const path& checkpoint, const std::string& name,
                                           std::int64_t most_bytes) {
  ASSAY_TRY_ASSIGN(const std::vector<path> files, weight_files_of(checkpoint));
  try {
    for (const path& file : files) {
      ASSAY_TRY_ASSIGN(std::vector<std::byte> bytes, head_in(file, name, most_bytes));
      if (!bytes.empty()) return bytes;
    }
  } catch (const json::exception& e) {
    return failure(unreadable(checkpoint, e));
  }
  return ASSAY_FAIL(unusable_input, checkpoint.string() + ": the ledger finds no " + name);
}

}  // namespace assay::scenarios
