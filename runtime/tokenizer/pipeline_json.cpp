// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The components around the model, the post-processor excepted: normaliser, pre-tokenizer, decoder.
#include "runtime/tokenizer/pipeline_json.h"
#include "runtime/tokenizer/definition.h"
#include "runtime/tokenizer/gpt2_pattern.h"
#include "runtime/tokenizer/json_object.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay::tokenizer {

namespace {

using nlohmann::json;

result<void> read_normalizer(const json_object& top, tokenizer_definition& into) {
  const json* value = top.find("normalizer");
  if (value == nullptr || value->is_null()) return {};
  ASSAY_TRY_ASSIGN(const json_object object, json_object::of(*value, top.file(), "normalizer"));
  ASSAY_TRY_ASSIGN(const std::string type, object.string("type"));
  if (type != "NFC") return unknown_type(object, type, "NFC (or null)");
  into.normalises_to_nfc = true;
  return object.allow_only({"type"});
}

result<void> read_split(const json_object& split, tokenizer_definition& into) {
  ASSAY_TRY_ASSIGN(const std::string type, split.string("type"));
  if (type != "Split") return unknown_type(split, type, "Split");
  ASSAY_TRY(split.allow_only({"type", "pattern", "behavior", "invert"}));
  ASSAY_TRY(split.require_off("invert"));
  ASSAY_TRY_ASSIGN(const std::string behavior, split.string("behavior"));
  if (behavior != "Isolated")
    return ASSAY_FIELD_FAIL(
        split.file(), split.field("behavior"),
        fmt::format("{} is not known, only Isolated; support for it must be added first",
                    shown(json(behavior))));
  ASSAY_TRY_ASSIGN(const json* value, split.require("pattern"));
  ASSAY_TRY_ASSIGN(const json_object pattern,
                   json_object::of(*value, split.file(), split.field("pattern")));
  ASSAY_TRY(pattern.allow_only({"Regex"}));
  ASSAY_TRY_ASSIGN(const std::string regex, pattern.string("Regex"));
  into.pattern = find_split_pattern(regex);
  if (into.pattern != nullptr) return {};
  return ASSAY_FIELD_FAIL(split.file(), pattern.field("Regex"),
                          fmt::format("pattern {} is not known; add its splitter to "
                                      "runtime/tokenizer/pattern_split.cpp",
                                      shown(json(regex))));
}

/// ByteLevel as a pre-tokenizer spells bytes in the alphabet and, with use_regex, cuts first.
result<void> read_byte_level_step(const json_object& object, bool must_use_regex,
                                  tokenizer_definition& into) {
  ASSAY_TRY_ASSIGN(const byte_level_flags flags, read_byte_level(object));
  if (flags.adds_prefix_space)
    return ASSAY_FIELD_FAIL(object.file(), object.field("add_prefix_space"),
                            "true is not supported; support for it must be added first");
  if (flags.uses_regex != must_use_regex)
    return ASSAY_FIELD_FAIL(object.file(), object.field("use_regex"),
                            must_use_regex
                                ? "false is not supported without a Split; a text would be one "
                                  "piece, support for it must be added first"
                                : "true is not supported after a Split; support for it must be "
                                  "added first");
  if (must_use_regex) into.pattern = find_split_pattern(gpt2_regex);
  return {};
}

result<void> read_pre_tokenizer(const json_object& top, tokenizer_definition& into) {
  ASSAY_TRY_ASSIGN(const json* value, top.require("pre_tokenizer"));
  ASSAY_TRY_ASSIGN(const json_object object, json_object::of(*value, top.file(), "pre_tokenizer"));
  ASSAY_TRY_ASSIGN(const std::string type, object.string("type"));
  if (type == "ByteLevel") return read_byte_level_step(object, /*must_use_regex=*/true, into);
  if (type != "Sequence")
    return unknown_type(object, type, "ByteLevel or a Sequence of Split and ByteLevel");
  ASSAY_TRY(object.allow_only({"type", "pretokenizers"}));
  ASSAY_TRY_ASSIGN(const json* parts, object.require("pretokenizers"));
  const std::string field = object.field("pretokenizers");
  if (!parts->is_array() || parts->size() != 2)
    return ASSAY_FIELD_FAIL(
        top.file(), field,
        "only Split followed by ByteLevel is known; support for others must be added first");
  ASSAY_TRY_ASSIGN(const json_object split,
                   json_object::of((*parts)[0], top.file(), field + "[0]"));
  ASSAY_TRY(read_split(split, into));
  ASSAY_TRY_ASSIGN(const json_object byte_level,
                   json_object::of((*parts)[1], top.file(), field + "[1]"));
  return read_byte_level_step(byte_level, /*must_use_regex=*/false, into);
}

/// ByteLevel as a decoder ignores its own flags.
result<void> read_decoder(const json_object& top) {
  ASSAY_TRY_ASSIGN(const json* value, top.require("decoder"));
  ASSAY_TRY_ASSIGN(const json_object object, json_object::of(*value, top.file(), "decoder"));
  ASSAY_TRY(read_byte_level(object));
  return {};
}

}  // namespace

failure unknown_type(const json_object& component, const std::string& type,
                     std::string_view known) {
  return ASSAY_FIELD_FAIL(
      component.file(), component.field("type"),
      fmt::format("{} is not known, only {}; support for it must be added first", shown(json(type)),
                  known));
}

result<byte_level_flags> read_byte_level(const json_object& object) {
  ASSAY_TRY_ASSIGN(const std::string type, object.string("type"));
  if (type != "ByteLevel") return unknown_type(object, type, "ByteLevel");
  ASSAY_TRY(object.allow_only({"type", "add_prefix_space", "trim_offsets", "use_regex"}));
  byte_level_flags flags;
  ASSAY_TRY_ASSIGN(flags.adds_prefix_space, object.boolean("add_prefix_space", true));
  ASSAY_TRY_ASSIGN([[maybe_unused]] const bool trims, object.boolean("trim_offsets", true));
  ASSAY_TRY_ASSIGN(flags.uses_regex, object.boolean("use_regex", true));
  return flags;
}

result<void> read_pipeline(const json& root, const std::filesystem::path& file,
                           tokenizer_definition& into) {
  ASSAY_TRY_ASSIGN(const json_object top, json_object::of(root, file, ""));
  ASSAY_TRY(read_normalizer(top, into));
  ASSAY_TRY(read_pre_tokenizer(top, into));
  return read_decoder(top);
}

}  // namespace assay::tokenizer
