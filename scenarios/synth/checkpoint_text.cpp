// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/synth/checkpoint_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay::synth {
namespace {

using json = nlohmann::ordered_json;

std::uint32_t end_of_text(const shape& of) {
  return of.vocab_rows - 1;
}

std::string written(const json& value) {
  return value.dump(2) + "\n";
}

json rope_parameters(const shape& of) {
  json rope;
  rope["rope_theta"] = of.rope_theta;
  rope["rope_type"] = of.rope_factor > 1.0 ? "llama3" : "default";
  if (of.rope_factor <= 1.0) return rope;
  rope["factor"] = of.rope_factor;
  rope["low_freq_factor"] = 1.0;
  rope["high_freq_factor"] = 4.0;
  rope["original_max_position_embeddings"] = 8192;
  return rope;
}

std::string utf8_of(unsigned point) {
  if (point < 0x80) return {static_cast<char>(point)};
  return {static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 0x3f))};
}

// The byte-level alphabet: a byte that prints in Latin-1 is itself, the others follow from U+0100.
std::vector<std::string> byte_spellings() {
  std::vector<std::string> spellings;
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool prints = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
    spellings.push_back(utf8_of(prints ? byte : next++));
  }
  return spellings;
}

json byte_level() {
  json step;
  step["type"] = "ByteLevel";
  step["add_prefix_space"] = false;
  step["trim_offsets"] = false;
  step["use_regex"] = false;
  return step;
}

json splitter() {
  json pattern;
  pattern["Regex"] =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  json split;
  split["type"] = "Split";
  split["pattern"] = pattern;
  split["behavior"] = "Isolated";
  split["invert"] = false;
  json both;
  both["type"] = "Sequence";
  both["pretokenizers"] = json::array({split, byte_level()});
  return both;
}

json end_token(const shape& of) {
  json token;
  token["id"] = end_of_text(of);
  token["content"] = "<|endoftext|>";
  for (const char* option : {"single_word", "lstrip", "rstrip", "normalized"})
    token[option] = false;
  token["special"] = true;
  return token;
}

json bpe_model(const shape& of) {
  json vocabulary = json::object();
  std::uint32_t id = 0;
  // By key without a look at those before: an ordered object compares with each of them.
  auto& entries = vocabulary.get_ref<json::object_t&>();
  for (const std::string& spelling : byte_spellings()) entries.emplace_back(spelling, id++);
  for (; id < end_of_text(of); ++id) entries.emplace_back(fmt::format("token{:06}", id), id);
  json model;
  model["type"] = "BPE";
  for (const char* option :
       {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"})
    model[option] = nullptr;
  model["fuse_unk"] = false;
  model["byte_fallback"] = false;
  model["ignore_merges"] = false;
  model["vocab"] = std::move(vocabulary);
  model["merges"] = json::array();
  return model;
}

}  // namespace

std::string config_json(const shape& of) {
  const bool is_qwen3 = of.kind == family::qwen3;
  json config;
  config["architectures"] = json::array({is_qwen3 ? "Qwen3ForCausalLM" : "LlamaForCausalLM"});
  config["attention_bias"] = false;
  config["dtype"] = "bfloat16";
  config["eos_token_id"] = end_of_text(of);
  config["head_dim"] = of.head_dim;
  config["hidden_act"] = "silu";
  config["hidden_size"] = of.hidden;
  config["intermediate_size"] = of.intermediate;
  config["max_position_embeddings"] = of.context_tokens;
  if (!is_qwen3) config["mlp_bias"] = false;
  config["model_type"] = is_qwen3 ? "qwen3" : "llama";
  config["num_attention_heads"] = of.heads;
  config["num_hidden_layers"] = of.layers;
  config["num_key_value_heads"] = of.kv_heads;
  config["rms_norm_eps"] = of.norm_eps;
  config["rope_parameters"] = rope_parameters(of);
  config["tie_word_embeddings"] = of.is_head_tied;
  config["vocab_size"] = of.vocab_rows;
  return written(config);
}

std::string generation_config_json(const shape& of) {
  json config;
  config["do_sample"] = false;
  config["eos_token_id"] = end_of_text(of);
  return written(config);
}

std::string tokenizer_json(const shape& of) {
  json file;
  file["version"] = "1.0";
  file["truncation"] = nullptr;
  file["padding"] = nullptr;
  file["added_tokens"] = json::array({end_token(of)});
  file["normalizer"] = json();
  file["normalizer"]["type"] = "NFC";
  file["pre_tokenizer"] = splitter();
  file["post_processor"] = byte_level();
  file["decoder"] = byte_level();
  file["model"] = bpe_model(of);
  return written(file);
}

std::vector<shard> shards_of(const shape& of) {
  std::vector<shard> shards(1);
  std::uint64_t bytes = 0;
  for (tensor& each : tensors_of(of)) {
    if (bytes > 0 && bytes + each.bytes() > of.shard_bytes) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += each.bytes();
    shards.back().tensors.push_back(std::move(each));
  }
  for (std::size_t i = 0; i < shards.size(); ++i)
    shards[i].file = shards.size() == 1
                         ? "model.safetensors"
                         : fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
  return shards;
}

std::string index_json(const std::vector<shard>& shards) {
  json map = json::object();
  std::uint64_t bytes = 0;
  for (const shard& each : shards)
    for (const tensor& one : each.tensors) {
      map[one.name] = each.file;
      bytes += one.bytes();
    }
  json index;
  index["metadata"] = json::object();
  index["metadata"]["total_size"] = bytes;
  index["weight_map"] = std::move(map);
  return written(index);
}

}  // namespace assay::synth
