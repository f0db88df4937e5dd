// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/vocabulary_ledger.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace assay::scenarios {
namespace {

// In a byte-level vocabulary each byte is written as one code point, so a token's bytes are its
// code points: bytes that do not continue a UTF-8 sequence.
std::int64_t code_points(const std::string& token) {
  return std::count_if(token.begin(), token.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

}  // namespace

result<vocabulary_ledger> vocabulary_ledger::read(const std::filesystem::path& tokenizer_json) {
  vocabulary_ledger ledger;
  std::ifstream in(tokenizer_json);
  try {
    const auto json = nlohmann::json::parse(in);
    for (const auto& [token, id] : json.at("model").at("vocab").items())
      ledger.bytes_of_id_[id.get<std::int32_t>()] = {code_points(token), code_points(token)};
    for (const auto& added : json.at("added_tokens")) {
      const auto bytes = static_cast<std::int64_t>(added.at("content").get<std::string>().size());
      ledger.bytes_of_id_[added.at("id").get<std::int32_t>()] = {
          added.at("special").get<bool>() ? 0 : bytes, bytes};
    }
  } catch (const nlohmann::json::exception& e) {
    return ASSAY_FAIL(unusable_input, tokenizer_json.string() +
                                          ": the ledger cannot read the vocabulary: " + e.what());
  }
  return ledger;
}

std::int64_t vocabulary_ledger::text_bytes(std::span<const std::int32_t> ids) const {
  std::int64_t bytes = 0;
  for (const std::int32_t id : ids)
    if (const auto found = bytes_of_id_.find(id); found != bytes_of_id_.end())
      bytes += found->second.decoded;
  return bytes;
}

std::int64_t vocabulary_ledger::written_bytes(std::span<const std::int32_t> ids) const {
  std::int64_t bytes = 0;
  for (const std::int32_t id : ids)
    if (const auto found = bytes_of_id_.find(id); found != bytes_of_id_.end())
      bytes += found->second.written;
  return bytes;
}

bool is_surely_normal(std::string_view text) {
  constexpr unsigned char first_lead_of_u0300 = 0xcc;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < first_lead_of_u0300; });
}

}  // namespace assay::scenarios
