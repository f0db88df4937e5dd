// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/generation_config.h"

#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/config_fields.h"
#include "runtime/checkpoint/json_text.h"
#include "runtime/checkpoint/regular_file.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;

constexpr std::uint64_t most_bytes = 1 << 20;

// Keys whose absence, null or value here leaves the highest logit as it is. Temperature, top_k and
// top_p are not among them: without do_sample they change nothing.
const std::vector<std::pair<const char*, json>>& neutral_values() {
  static const std::vector<std::pair<const char*, json>> all{
      {"do_sample", false},
      {"num_beams", 1},
      {"repetition_penalty", 1.0},
      {"encoder_repetition_penalty", 1.0},
      {"guidance_scale", 1.0},
      {"penalty_alpha", 0.0},
      {"no_repeat_ngram_size", 0},
      {"encoder_no_repeat_ngram_size", 0},
      {"min_length", 0},
      {"min_new_tokens", 0},
      {"bad_words_ids", nullptr},
      {"suppress_tokens", nullptr},
      {"begin_suppress_tokens", nullptr},
      {"forced_bos_token_id", nullptr},
      {"forced_eos_token_id", nullptr},
      {"sequence_bias", nullptr},
      {"exponential_decay_length_penalty", nullptr},
  };
  return all;
}

std::vector<std::string> unapplied_keys_of(const json& root) {
  std::vector<std::string> unapplied;
  for (const auto& [key, neutral] : neutral_values()) {
    const auto found = root.find(key);
    if (found == root.end() || found->is_null() || *found == neutral) continue;
    if ((found->is_array() || found->is_object()) && found->empty()) continue;
    unapplied.emplace_back(key);
  }
  return unapplied;
}

}  // namespace

result<generation_config> read_generation_config(const std::filesystem::path& file,
                                                 std::uint32_t vocab_rows) {
  generation_config read;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return read;
  ASSAY_TRY_ASSIGN(const std::string text, read_text(file, most_bytes));
  ASSAY_TRY_ASSIGN(const json root, parse_json(text, file));
  if (!root.is_object())
    return ASSAY_FAIL(unusable_input, complaint(file, "", "holds no JSON object",
                                                "delete it or replace it by an intact copy"));
  if (root.contains("eos_token_id")) {
    ASSAY_TRY_ASSIGN(read.eos_token_ids,
                     read_token_ids(root["eos_token_id"], {file, "eos_token_id"}, vocab_rows));
  }
  read.unapplied_keys = unapplied_keys_of(root);
  return read;
}

}  // namespace assay::checkpoint
