// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The model of a tokenizer.json: BPE's vocabulary and merges.
#include "runtime/tokenizer/byte_alphabet.h"
#include "runtime/tokenizer/definition.h"
#include "runtime/tokenizer/json_object.h"
#include "runtime/tokenizer/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace assay::tokenizer {

namespace {

using nlohmann::json;
using id_map = std::unordered_map<std::string_view, std::int32_t>;

/// What a tokenizer without these does not do, and neither do we.
result<void> check_options(const json_object& model) {
  ASSAY_TRY(model.allow_only({"type", "dropout", "unk_token", "continuing_subword_prefix",
                              "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges",
                              "vocab", "merges"}));
  ASSAY_TRY_ASSIGN(const std::string type, model.string("type"));
  if (type != "BPE")
    return ASSAY_FIELD_FAIL(
        model.file(), model.field("type"),
        fmt::format("{} is not known, only BPE; support for it must be added first",
                    shown(json(type))));
  for (std::string_view option : {"dropout", "unk_token", "continuing_subword_prefix",
                                  "end_of_word_suffix", "fuse_unk", "byte_fallback"})
    ASSAY_TRY(model.require_off(option));
  return {};
}

result<void> read_vocabulary(const json_object& model, tokenizer_definition& into) {
  ASSAY_TRY_ASSIGN(const json* vocabulary, model.require("vocab"));
  const std::string field = model.field("vocab");
  if (!vocabulary->is_object())
    return ASSAY_FIELD_FAIL(
        model.file(), field,
        fmt::format("expected an object, found {}; copy the file from the checkpoint again",
                    shown(*vocabulary)));
  std::unordered_set<std::int32_t> seen;
  into.vocabulary.reserve(vocabulary->size());
  for (const auto& [text, value] : vocabulary->items()) {
    const std::string entry_field = fmt::format("{}[{}]", field, shown(json(text)));
    ASSAY_TRY_ASSIGN(const std::int32_t id, read_id(value, model.file(), entry_field));
    if (!seen.insert(id).second)
      return ASSAY_FIELD_FAIL(model.file(), entry_field,
                              fmt::format("id {} is given twice; each token needs its own", id));
    std::optional<std::string> bytes = spelled_bytes(text);
    const bool is_spelled = bytes.has_value();
    into.vocabulary.push_back({id, text, is_spelled ? std::move(*bytes) : text, is_spelled});
  }
  return {};
}

/// A merge is a list of two strings, or one string with a space between the two.
std::optional<std::pair<std::string_view, std::string_view>> halves_of(const json& merge) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
    return std::pair<std::string_view, std::string_view>(merge[0].get_ref<const std::string&>(),
                                                         merge[1].get_ref<const std::string&>());
  if (!merge.is_string()) return std::nullopt;
  const std::string_view text = merge.get_ref<const std::string&>();
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
    return std::nullopt;
  return std::pair(text.substr(0, space), text.substr(space + 1));
}

result<merge_rule> read_merge(const json& value, const std::filesystem::path& file,
                              std::size_t rank, const id_map& ids) {
  const std::string field = fmt::format("model.merges[{}]", rank);
  const auto halves = halves_of(value);
  if (!halves)
    return ASSAY_FIELD_FAIL(
        file, field,
        "expected two strings, as a list or with one space between them; copy the "
        "file from the checkpoint again");
  const auto id_of = [&](const std::string& text) -> result<std::int32_t> {
    const auto found = ids.find(text);
    if (found != ids.end()) return found->second;
    return ASSAY_FIELD_FAIL(file, field,
                            fmt::format("{} is not in model.vocab; vocabulary and merges are not "
                                        "of the same tokenizer",
                                        shown(json(text))));
  };
  const std::string left(halves->first);
  const std::string right(halves->second);
  merge_rule rule;
  ASSAY_TRY_ASSIGN(rule.left, id_of(left));
  ASSAY_TRY_ASSIGN(rule.right, id_of(right));
  ASSAY_TRY_ASSIGN(rule.merged, id_of(left + right));
  return rule;
}

result<void> read_merges(const json_object& model, const id_map& ids, tokenizer_definition& into) {
  ASSAY_TRY_ASSIGN(const json* merges, model.require("merges"));
  if (!merges->is_array())
    return ASSAY_FIELD_FAIL(
        model.file(), model.field("merges"),
        fmt::format("expected an array, found {}; copy the file from the checkpoint again",
                    shown(*merges)));
  into.merges.reserve(merges->size());
  for (std::size_t rank = 0; rank < merges->size(); ++rank) {
    ASSAY_TRY_ASSIGN(const merge_rule rule, read_merge((*merges)[rank], model.file(), rank, ids));
    into.merges.push_back(rule);
  }
  return {};
}

/// A byte without an id would vanish from the text.
result<void> check_bytes(const json_object& model, const id_map& ids) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string text;
    append_scalar(character_of(static_cast<std::uint8_t>(byte)), text);
    if (ids.find(text) == ids.end())
      return ASSAY_FIELD_FAIL(
          model.file(), model.field("vocab"),
          fmt::format("byte 0x{:02X} ({}) has no entry; only a byte-level vocabulary with all 256 "
                      "can be read",
                      byte, shown(json(text))));
  }
  return {};
}

}  // namespace

result<void> read_model(const json& root, const std::filesystem::path& file,
                        tokenizer_definition& into) {
  ASSAY_TRY_ASSIGN(const json_object top, json_object::of(root, file, ""));
  ASSAY_TRY_ASSIGN(const json* value, top.require("model"));
  ASSAY_TRY_ASSIGN(const json_object model, json_object::of(*value, file, "model"));
  ASSAY_TRY(check_options(model));
  ASSAY_TRY_ASSIGN(into.takes_whole_pieces, model.boolean("ignore_merges", false));
  ASSAY_TRY(read_vocabulary(model, into));
  id_map ids;
  ids.reserve(into.vocabulary.size());
  for (const vocabulary_entry& entry : into.vocabulary) ids.emplace(entry.text, entry.id);
  ASSAY_TRY(check_bytes(model, ids));
  return read_merges(model, ids, into);
}

}  // namespace assay::tokenizer
