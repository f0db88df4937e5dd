// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::tokenizer {

std::string shown(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  constexpr std::size_t shown_at_most = 80;
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
  if (text.size() > shown_at_most) text = text.substr(0, shown_at_most) + "...";
  return text;
}

failure field_failure(const std::filesystem::path& file, std::string_view field,
                      std::string_view what, const char* origin_file, int origin_line) {
  return failure(error{error_kind::unusable_input,
                       fmt::format("{}: {}: {}", file.string(), field, what), origin_file,
                       origin_line});
}

json_object::json_object(const nlohmann::json& value, const std::filesystem::path& file,
                         std::string field)
    : value_(&value), file_(&file), field_(std::move(field)) {}

result<json_object> json_object::of(const nlohmann::json& value, const std::filesystem::path& file,
                                    std::string field) {
  if (!value.is_object())
    return ASSAY_FIELD_FAIL(
        file, field.empty() ? "top level" : field,
        fmt::format("expected an object, found {}; copy the file from the checkpoint again",
                    shown(value)));
  return json_object(value, file, std::move(field));
}

std::string json_object::field(std::string_view member) const {
  return field_.empty() ? std::string(member) : fmt::format("{}.{}", field_, member);
}

const nlohmann::json* json_object::find(std::string_view member) const {
  const auto found = value_->find(member);
  return found == value_->end() ? nullptr : &*found;
}

result<const nlohmann::json*> json_object::require(std::string_view member) const {
  const nlohmann::json* value = find(member);
  if (value == nullptr)
    return ASSAY_FIELD_FAIL(*file_, field(member),
                            "missing; use the tokenizer.json that was saved with the checkpoint");
  return value;
}

result<bool> json_object::boolean(std::string_view member) const {
  ASSAY_TRY(require(member));
  return boolean(member, false);
}

result<bool> json_object::boolean(std::string_view member, bool if_missing) const {
  const nlohmann::json* value = find(member);
  if (value == nullptr) return if_missing;
  if (!value->is_boolean())
    return ASSAY_FIELD_FAIL(
        *file_, field(member),
        fmt::format("expected true or false, found {}; copy the file from the checkpoint again",
                    shown(*value)));
  return value->get<bool>();
}

result<std::string> json_object::string(std::string_view member) const {
  ASSAY_TRY_ASSIGN(const nlohmann::json* value, require(member));
  if (!value->is_string())
    return ASSAY_FIELD_FAIL(
        *file_, field(member),
        fmt::format("expected a string, found {}; copy the file from the checkpoint again",
                    shown(*value)));
  return value->get<std::string>();
}

result<void> json_object::allow_only(std::initializer_list<std::string_view> known) const {
  for (const auto& [member, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), member) != known.end()) continue;
    return ASSAY_FIELD_FAIL(*file_, field_.empty() ? "top level" : field_,
                            fmt::format("unknown field {}; support for it must be added before "
                                        "this tokenizer can be read",
                                        shown(nlohmann::json(member))));
  }
  return {};
}

result<void> json_object::require_off(std::string_view member) const {
  const nlohmann::json* value = find(member);
  if (value == nullptr || value->is_null()) return {};
  if (value->is_boolean() && !value->get<bool>()) return {};
  if (value->is_string() && value->get_ref<const std::string&>().empty()) return {};
  return ASSAY_FIELD_FAIL(
      *file_, field(member),
      fmt::format("{} is not supported; only a tokenizer without it can be read", shown(*value)));
}

result<std::int32_t> read_id(const nlohmann::json& value, const std::filesystem::path& file,
                             std::string_view field) {
  const bool is_id = value.is_number_integer() &&
                     (!value.is_number_unsigned() ||
                      value.get<std::uint64_t>() <= static_cast<std::uint64_t>(highest_id)) &&
                     value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() <= highest_id;
  if (!is_id)
    return ASSAY_FIELD_FAIL(file, field,
                            fmt::format("{} is not an id; ids are whole numbers from 0 to {}",
                                        shown(value), highest_id));
  return static_cast<std::int32_t>(value.get<std::int64_t>());
}

}  // namespace assay::tokenizer
