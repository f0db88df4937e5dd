// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/vocabulary_ledger.h"

#include <algorithm>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace assay::scenarios {
namespace {

// In a byte-level vocabulary each byte is written as one code point, so a token's bytes are its
// code points: bytes that do not continue a UTF-8 sequence.
std::int64_t code_points(const std::string& token) {
  return std::count_if(token.begin(), token.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

// The ids that a post-processor puts around every text. Throws where the file is not as it should.
std::vector<std::int32_t> template_ids(const nlohmann::json& processor) {
  std::vector<std::int32_t> ids;
  if (processor.is_null()) return ids;
  const std::string type = processor.at("type");
  if (type == "Sequence")
    for (const auto& part : processor.at("processors"))
      for (const std::int32_t id : template_ids(part)) ids.push_back(id);
  if (type != "TemplateProcessing") return ids;
  for (const auto& piece : processor.at("single")) {
    if (!piece.contains("SpecialToken")) continue;
    const std::string name = piece.at("SpecialToken").at("id");
    for (const auto& id : processor.at("special_tokens").at(name).at("ids")) ids.push_back(id);
  }
  return ids;
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
    for (const std::int32_t id : template_ids(json.value("post_processor", nlohmann::json())))
      ledger.template_bytes_ += ledger.bytes_of_id_.at(id).written;
  } catch (const std::exception& e) {  // the library's, and an id that the vocabulary lacks
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
  std::int64_t bytes = -template_bytes_;
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
