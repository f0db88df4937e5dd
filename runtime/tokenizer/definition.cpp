// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/definition.h"

#include "runtime/tokenizer/json_object.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

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
        fmt::format("nested deeper than {}; name a tokenizer.json", nesting_at_most));
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
    return ASSAY_FIELD_FAIL(
        file, "version",
        fmt::format("{} is not known, only \"1.0\"; support for it must be added first",
                    shown(json(version))));
  ASSAY_TRY(top.require_off("truncation"));
  ASSAY_TRY(top.require_off("padding"));
  return {};
}

}  // namespace

result<tokenizer_definition> parse_definition(std::string_view text,
                                              const std::filesystem::path& file) {
  ASSAY_TRY_ASSIGN(const json root, parse_json(text, file));
  ASSAY_TRY(check_top_level(root, file));
  tokenizer_definition out;
  ASSAY_TRY(read_pipeline(root, file, out));
  ASSAY_TRY(read_model(root, file, out));
  ASSAY_TRY(read_added_tokens(root, file, out));
  ASSAY_TRY(read_post_processor(root, file, out));
  return out;
}

}  // namespace assay::tokenizer
