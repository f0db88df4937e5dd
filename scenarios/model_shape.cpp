// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "scenarios/ledger.h"

namespace assay::scenarios {
namespace {

using nlohmann::json;

constexpr std::uint64_t largest_header_bytes = 100'000'000;

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

result<header> read_header(const std::filesystem::path& file, std::ifstream& in) {
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

result<void> add_header(const std::filesystem::path& file, model_shape& model) {
  std::ifstream in(file, std::ios::binary);
  ASSAY_TRY_ASSIGN(const header found, read_header(file, in));
  for (const auto& [name, tensor] : found.tensors.items()) {
    if (name == "__metadata__") continue;
    ++model.header_tensor_count;
    model.payload_bytes += shape_bytes(tensor);
    model.weight_width_bytes = width_of(tensor.value("dtype", ""));
  }
  model.file_bytes = 8 + found.bytes + model.payload_bytes;
  return {};
}

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
}

}  // namespace

result<model_shape> read_model_shape(const std::filesystem::path& checkpoint) {
  model_shape model;
  const auto config_file = checkpoint / "config.json";
  try {
    ASSAY_TRY(add_header(checkpoint / "model.safetensors", model));
    std::ifstream in(config_file);
    add_config(json::parse(in), model);
  } catch (const json::exception& e) {
    return ASSAY_FAIL(unusable_input, checkpoint.string() +
                                          ": the ledger cannot read it: " + std::string(e.what()));
  }
  return model;
}

result<std::vector<std::byte>> embedding_head(const std::filesystem::path& checkpoint,
                                              std::int64_t most_bytes) {
  const auto file = checkpoint / "model.safetensors";
  std::ifstream in(file, std::ios::binary);
  try {
    ASSAY_TRY_ASSIGN(const header found, read_header(file, in));
    const json& offsets = found.tensors.at("model.embed_tokens.weight").at("data_offsets");
    const auto begin = offsets.at(0).get<std::int64_t>();
    const std::int64_t length = std::min(most_bytes, offsets.at(1).get<std::int64_t>() - begin);
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<std::int64_t>(length, 0)));
    in.seekg(8 + found.bytes + begin);
    if (in.read(reinterpret_cast<char*>(bytes.data()), length)) return bytes;
  } catch (const json::exception& e) {
    return ASSAY_FAIL(unusable_input,
                      file.string() + ": the ledger cannot read it: " + std::string(e.what()));
  }
  return ASSAY_FAIL(io, file.string() + ": the ledger cannot read the embedding");
}

}  // namespace assay::scenarios
