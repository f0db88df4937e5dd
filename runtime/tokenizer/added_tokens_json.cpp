// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The added tokens of a tokenizer.json.
#include "runtime/tokenizer/definition.h"
#include "runtime/tokenizer/json_object.h"
#include "runtime/tokenizer/nfc.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace assay::tokenizer {

namespace {

using nlohmann::json;

result<added_token> read_added_token(const json_object& object) {
  ASSAY_TRY(object.allow_only(
      {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"}));
  added_token token;
  ASSAY_TRY_ASSIGN(const json* id, object.require("id"));
  ASSAY_TRY_ASSIGN(token.id, read_id(*id, object.file(), object.field("id")));
  ASSAY_TRY_ASSIGN(token.content, object.string("content"));
  ASSAY_TRY_ASSIGN(token.is_single_word, object.boolean("single_word"));
  ASSAY_TRY_ASSIGN(token.strips_left, object.boolean("lstrip"));
  ASSAY_TRY_ASSIGN(token.strips_right, object.boolean("rstrip"));
  ASSAY_TRY_ASSIGN(token.is_normalized, object.boolean("normalized"));
  ASSAY_TRY_ASSIGN(token.is_special, object.boolean("special"));
  if (token.content.empty())
    return ASSAY_FIELD_FAIL(object.file(), object.field("content"),
                            "empty; an added token needs text to be found by");
  return token;
}

/// Which ids and contents are taken. The reference does not read a new token's id but numbers on:
/// from the size of the vocabulary, or from the highest added id where that is beyond. A file that
/// says otherwise means other ids than its own library gives, so it is refused.
class id_ledger {
 public:
  explicit id_ledger(const std::vector<vocabulary_entry>& vocabulary) {
    for (const vocabulary_entry& entry : vocabulary) {
      vocabulary_.emplace(entry.text, entry.id);
      vocabulary_ids_.insert(entry.id);
    }
    next_ = static_cast<std::int32_t>(vocabulary.size());
  }

  result<void> enter(const added_token& token, const json_object& object) {
    if (!contents_.insert(token.content).second)
      return ASSAY_FIELD_FAIL(
          object.file(), object.field("content"),
          fmt::format("{} is given twice; remove one of the entries", shown(json(token.content))));
    const auto known = vocabulary_.find(token.content);
    const bool is_new = known == vocabulary_.end();
    const std::int32_t expected = is_new ? next_ : known->second;
    if (token.id != expected || (is_new && vocabulary_ids_.count(token.id) != 0))
      return ASSAY_FIELD_FAIL(
          object.file(), object.field("id"),
          fmt::format("{} has id {} where {} is next; each token needs its own id, and new ones "
                      "follow the vocabulary without gaps",
                      shown(json(token.content)), token.id, expected));
    next_ = std::max(next_, token.id + 1);
    return {};
  }

 private:
  std::unordered_map<std::string_view, std::int32_t> vocabulary_;
  std::unordered_set<std::int32_t> vocabulary_ids_;
  std::unordered_set<std::string> contents_;
  std::int32_t next_ = 0;
};

}  // namespace

result<void> read_added_tokens(const json& root, const std::filesystem::path& file,
                               tokenizer_definition& into) {
  const auto list = root.find("added_tokens");
  if (list == root.end() || list->is_null()) return {};
  if (!list->is_array())
    return ASSAY_FIELD_FAIL(
        file, "added_tokens",
        fmt::format("expected an array, found {}; copy the file from the checkpoint again",
                    shown(*list)));
  id_ledger ledger(into.vocabulary);
  for (std::size_t i = 0; i < list->size(); ++i) {
    ASSAY_TRY_ASSIGN(const json_object object,
                     json_object::of((*list)[i], file, fmt::format("added_tokens[{}]", i)));
    ASSAY_TRY_ASSIGN(added_token token, read_added_token(object));
    if (token.is_normalized && into.normalises_to_nfc) token.content = to_nfc(token.content);
    ASSAY_TRY(ledger.enter(token, object));
    into.added_tokens.push_back(std::move(token));
  }
  return {};
}

}  // namespace assay::tokenizer
