// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/definition.h"

#include "runtime/tokenizer/json_object.h"
#include "runtime/tokenizer/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace assay::tokenizer {

namespace {

using nlohmann::json;

/// A tokenizer.json nests five deep. The parser keeps its own stack, but what it builds is walked
/// and freed by code that is not ours; a bound here makes depth nobody's problem.
constexpr int nesting_at_most = 32;

int nesting_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      if (c == '"') is_in_string = false;
      continue;
    }
    if (c == '"') is_in_string = true;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  return deepest;
}

result<json> parse_json(std::string_view text, const std::filesystem::path& file) {
  if (nesting_of(text) > nesting_at_most)
    return ASSAY_FIELD_FAIL(
        file, "top level",
        fmt::format("nested deeper than {}; this is not a tokenizer.json", nesting_at_most));
  try {
    return json::parse(text);
  } catch (const json::parse_error& broken) {
    return ASSAY_FIELD_FAIL(
        file, fmt::format("byte {}", broken.byte),
        "not JSON; the file is damaged or cut short, copy it from the checkpoint again");
  }
}

result<void> check_top_level(const json& root, const std::filesystem::path& file) {
  ASSAY_TRY_ASSIGN(const json_object top, json_object::of(root, file, ""));
  ASSAY_TRY(top.allow_only({"version", "truncation", "padding", "added_tokens", "normalizer",
                            "pre_tokenizer", "post_processor", "decoder", "model"}));
  ASSAY_TRY_ASSIGN(const std::string version, top.string("version"));
  if (version != "1.0")
    return ASSAY_FIELD_FAIL(file, "version",
                            fmt::format("{} is not known, only \"1.0\"", shown(json(version))));
  ASSAY_TRY(top.require_off("truncation"));
  ASSAY_TRY(top.require_off("padding"));
  return {};
}

result<added_token> read_added_token(const json& value, const std::filesystem::path& file,
                                     const std::string& field) {
  ASSAY_TRY_ASSIGN(const json_object object, json_object::of(value, file, field));
  ASSAY_TRY(object.allow_only(
      {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"}));
  added_token token;
  ASSAY_TRY_ASSIGN(const json* id, object.require("id"));
  ASSAY_TRY_ASSIGN(token.id, read_id(*id, file, object.field("id")));
  ASSAY_TRY_ASSIGN(token.content, object.string("content"));
  ASSAY_TRY_ASSIGN(token.is_single_word, object.boolean("single_word", false));
  ASSAY_TRY_ASSIGN(token.strips_left, object.boolean("lstrip", false));
  ASSAY_TRY_ASSIGN(token.strips_right, object.boolean("rstrip", false));
  ASSAY_TRY_ASSIGN(token.is_special, object.boolean("special", false));
  ASSAY_TRY_ASSIGN(token.is_normalized, object.boolean("normalized", !token.is_special));
  return token;
}

}  // namespace

result<void> read_added_tokens(const json& root, const std::filesystem::path& file,
                               tokenizer_definition& into) {
  const auto list = root.find("added_tokens");
  if (list == root.end() || list->is_null()) return {};
  if (!list->is_array())
    return ASSAY_FIELD_FAIL(file, "added_tokens",
                            fmt::format("expected an array, found {}", shown(*list)));
  std::unordered_map<std::int32_t, std::string_view> text_of_id;
  std::unordered_map<std::string_view, std::int32_t> id_of_text;
  for (const vocabulary_entry& entry : into.vocabulary) {
    text_of_id.emplace(entry.id, entry.text);
    id_of_text.emplace(entry.text, entry.id);
  }
  std::unordered_set<std::int32_t> seen_ids;
  std::unordered_set<std::string> seen_contents;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string field = fmt::format("added_tokens[{}]", i);
    ASSAY_TRY_ASSIGN(added_token token, read_added_token((*list)[i], file, field));
    const auto owner = text_of_id.find(token.id);
    const auto known = id_of_text.find(token.content);
    const bool is_taken = owner != text_of_id.end() && owner->second != token.content;
    const bool is_renamed = known != id_of_text.end() && known->second != token.id;
    const bool is_new = seen_ids.insert(token.id).second;
    if (is_taken || !is_new)
      return ASSAY_FIELD_FAIL(
          file, field + ".id",
          fmt::format("id {} is given twice; each token needs its own", token.id));
    if (is_renamed || !seen_contents.insert(token.content).second)
      return ASSAY_FIELD_FAIL(
          file, field + ".content",
          fmt::format("{} has two ids; remove one of the entries", shown(json(token.content))));
    into.added_tokens.push_back(std::move(token));
  }
  return {};
}

result<tokenizer_definition> parse_definition(std::string_view text,
                                              const std::filesystem::path& file) {
  ASSAY_TRY_ASSIGN(const json root, parse_json(text, file));
  ASSAY_TRY(check_top_level(root, file));
  tokenizer_definition out;
  ASSAY_TRY(read_pipeline(root, file, out));
  ASSAY_TRY(read_model(root, file, out));
  ASSAY_TRY(read_added_tokens(root, file, out));
  return out;
}

}  // namespace assay::tokenizer
