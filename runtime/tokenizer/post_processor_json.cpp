// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The post-processor of a tokenizer.json: which ids it puts around those of a text.
#include "runtime/tokenizer/definition.h"
#include "runtime/tokenizer/json_object.h"
#include "runtime/tokenizer/pipeline_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unordered_map>

namespace assay::tokenizer {

namespace {

using nlohmann::json;

/// One kind of piece in a template: {"SpecialToken": {"id": …}} or {"Sequence": {"id": "A"}}.
struct template_piece {
  bool is_sequence = false;
  std::string name;
};

class template_reader {
 public:
  template_reader(const json_object& object, tokenizer_definition& into)
      : object_(object), into_(into) {
    for (const vocabulary_entry& entry : into.vocabulary) texts_.emplace(entry.id, entry.text);
    for (const added_token& token : into.added_tokens) texts_[token.id] = token.content;
  }

  /// The template for one text. That for a pair is looked at, so that nothing unknown hides in it,
  /// and not kept: nobody here encodes pairs.
  result<void> read() {
    ASSAY_TRY(object_.allow_only({"type", "single", "pair", "special_tokens"}));
    ASSAY_TRY(read_special_tokens());
    ASSAY_TRY_ASSIGN(const std::vector<template_piece> single, read_pieces("single", {"A"}));
    ASSAY_TRY(read_pieces("pair", {"A", "B"}));
    bool is_behind = false;
    for (const template_piece& piece : single) {
      if (piece.is_sequence) {
        is_behind = true;
        continue;
      }
      const std::vector<std::int32_t>& ids = ids_.at(piece.name);
      std::vector<std::int32_t>& to = is_behind ? into_.ids_after : into_.ids_before;
      to.insert(to.end(), ids.begin(), ids.end());
    }
    return {};
  }

 private:
  /// `sequences`: those that must be there, each once.
  result<std::vector<template_piece>> read_pieces(std::string_view member,
                                                  std::vector<std::string> sequences) const {
    ASSAY_TRY_ASSIGN(const json* list, object_.require(member));
    const std::string field = object_.field(member);
    if (!list->is_array())
      return ASSAY_FIELD_FAIL(
          object_.file(), field,
          fmt::format("expected an array, found {}; copy the file from the checkpoint again",
                      shown(*list)));
    std::vector<template_piece> pieces;
    for (std::size_t i = 0; i < list->size(); ++i) {
      ASSAY_TRY_ASSIGN(template_piece piece,
                       read_piece((*list)[i], fmt::format("{}[{}]", field, i)));
      if (piece.is_sequence && std::erase(sequences, piece.name) != 1)
        return ASSAY_FIELD_FAIL(object_.file(), fmt::format("{}[{}]", field, i),
                                fmt::format("Sequence {} is unknown here or stands twice; only a "
                                            "template with each text once can be read",
                                            shown(json(piece.name))));
      pieces.push_back(std::move(piece));
    }
    if (!sequences.empty())
      return ASSAY_FIELD_FAIL(object_.file(), field,
                              fmt::format("Sequence {} is missing; the text itself would be lost",
                                          shown(json(sequences.front()))));
    return pieces;
  }

  result<template_piece> read_piece(const json& value, const std::string& field) const {
    ASSAY_TRY_ASSIGN(const json_object piece, json_object::of(value, object_.file(), field));
    ASSAY_TRY(piece.allow_only({"SpecialToken", "Sequence"}));
    if (value.size() != 1)
      return ASSAY_FIELD_FAIL(object_.file(), field,
                              "expected SpecialToken or Sequence alone; copy the file from the "
                              "checkpoint again");
    const std::string kind = value.begin().key();
    ASSAY_TRY_ASSIGN(const json_object body,
                     json_object::of(value.begin().value(), object_.file(), piece.field(kind)));
    ASSAY_TRY(body.allow_only({"id", "type_id"}));
    template_piece out;
    out.is_sequence = kind == "Sequence";
    ASSAY_TRY_ASSIGN(out.name, body.string("id"));
    if (!out.is_sequence && ids_.count(out.name) == 0)
      return ASSAY_FIELD_FAIL(object_.file(), body.field("id"),
                              fmt::format("{} is not among special_tokens; copy the file from the "
                                          "checkpoint again",
                                          shown(json(out.name))));
    return out;
  }

  result<void> read_special_tokens() {
    ASSAY_TRY_ASSIGN(const json* value, object_.require("special_tokens"));
    const std::string field = object_.field("special_tokens");
    ASSAY_TRY(json_object::of(*value, object_.file(), field));
    for (const auto& [name, body] : value->items()) {
      const std::string entry_field = fmt::format("{}[{}]", field, shown(json(name)));
      ASSAY_TRY_ASSIGN(const json_object entry, json_object::of(body, object_.file(), entry_field));
      ASSAY_TRY(read_special_token(name, entry));
    }
    return {};
  }

  /// Ids and their texts are given side by side; one that the vocabulary contradicts means another
  /// vocabulary.
  result<void> read_special_token(const std::string& name, const json_object& entry) {
    ASSAY_TRY(entry.allow_only({"id", "ids", "tokens"}));
    ASSAY_TRY_ASSIGN(const std::string id, entry.string("id"));
    ASSAY_TRY_ASSIGN(const json* ids, entry.require("ids"));
    ASSAY_TRY_ASSIGN(const json* tokens, entry.require("tokens"));
    if (id != name || !ids->is_array() || !tokens->is_array() || ids->size() != tokens->size())
      return ASSAY_FIELD_FAIL(entry.file(), entry.field("ids"),
                              "expected as many ids as tokens, under their own name; copy the file "
                              "from the checkpoint again");
    std::vector<std::int32_t>& known = ids_[name];
    for (std::size_t i = 0; i < ids->size(); ++i) {
      const std::string field = fmt::format("{}[{}]", entry.field("ids"), i);
      ASSAY_TRY_ASSIGN(const std::int32_t one, read_id((*ids)[i], entry.file(), field));
      const auto text = texts_.find(one);
      if (text == texts_.end() || (*tokens)[i] != text->second)
        return ASSAY_FIELD_FAIL(entry.file(), field,
                                fmt::format("{} is not the id of {}; template and vocabulary are "
                                            "not of the same tokenizer",
                                            one, shown((*tokens)[i])));
      known.push_back(one);
    }
    return {};
  }

  const json_object& object_;
  tokenizer_definition& into_;
  std::unordered_map<std::int32_t, std::string_view> texts_;
  std::unordered_map<std::string, std::vector<std::int32_t>> ids_;
};

/// One processor. ByteLevel in this role only moves offsets.
result<void> read_processor(const json_object& object, bool may_be_template,
                            tokenizer_definition& into) {
  ASSAY_TRY_ASSIGN(const std::string type, object.string("type"));
  if (type == "ByteLevel") {
    ASSAY_TRY(read_byte_level(object));
    return {};
  }
  if (type != "TemplateProcessing")
    return unknown_type(object, type, "ByteLevel, TemplateProcessing or a Sequence of the two");
  if (!may_be_template)
    return ASSAY_FIELD_FAIL(object.file(), object.field("type"),
                            "a second TemplateProcessing is not supported; support for it must be "
                            "added first");
  return template_reader(object, into).read();
}

}  // namespace

result<void> read_post_processor(const json& root, const std::filesystem::path& file,
                                 tokenizer_definition& into) {
  const auto value = root.find("post_processor");
  if (value == root.end() || value->is_null()) return {};
  ASSAY_TRY_ASSIGN(const json_object object, json_object::of(*value, file, "post_processor"));
  ASSAY_TRY_ASSIGN(const std::string type, object.string("type"));
  if (type != "Sequence") return read_processor(object, /*may_be_template=*/true, into);
  ASSAY_TRY(object.allow_only({"type", "processors"}));
  ASSAY_TRY_ASSIGN(const json* parts, object.require("processors"));
  const std::string field = object.field("processors");
  if (!parts->is_array())
    return ASSAY_FIELD_FAIL(
        file, field,
        fmt::format("expected an array, found {}; copy the file from the checkpoint again",
                    shown(*parts)));
  bool has_template = false;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    ASSAY_TRY_ASSIGN(const json_object part,
                     json_object::of((*parts)[i], file, fmt::format("{}[{}]", field, i)));
    ASSAY_TRY(read_processor(part, /*may_be_template=*/!has_template, into));
    ASSAY_TRY_ASSIGN(const std::string part_type, part.string("type"));
    has_template = has_template || part_type == "TemplateProcessing";
  }
  return {};
}

}  // namespace assay::tokenizer
