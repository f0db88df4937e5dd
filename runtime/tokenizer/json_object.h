// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Reading one object of tokenizer.json so that nothing in it goes unnoticed: each error names the
// file and the field, and a field that nobody knows is an error.
#pragma once

#include "runtime/telemetry/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace assay::tokenizer {

/// A value as one line of ASCII, shortened: hostile text does not reach a terminal.
std::string shown(const nlohmann::json& value);

/// unusable_input in the form `FILE: FIELD: what; fix`.
failure field_failure(const std::filesystem::path& file, std::string_view field,
                      std::string_view what, const char* origin_file, int origin_line);
#define ASSAY_FIELD_FAIL(file_, field_, what_) \
  ::assay::tokenizer::field_failure((file_), (field_), (what_), __FILE__, __LINE__)

/// A JSON object and where it stands. Ownership: borrows all three.
class json_object {
 public:
  /// Errors: unusable_input where `value` is not an object.
  static result<json_object> of(const nlohmann::json& value, const std::filesystem::path& file,
                                std::string field);

  const std::filesystem::path& file() const { return *file_; }
  /// The path of a member, as errors spell it.
  std::string field(std::string_view member) const;

  /// Null where the member is missing.
  const nlohmann::json* find(std::string_view member) const;
  result<const nlohmann::json*> require(std::string_view member) const;
  result<bool> boolean(std::string_view member) const;
  result<bool> boolean(std::string_view member, bool if_missing) const;
  result<std::string> string(std::string_view member) const;

  /// Errors: a member that is not among `known`.
  result<void> allow_only(std::initializer_list<std::string_view> known) const;
  /// Errors: the member is there, not null, and not false / not "".
  result<void> require_off(std::string_view member) const;

 private:
  json_object(const nlohmann::json& value, const std::filesystem::path& file, std::string field);
  const nlohmann::json* value_;
  const std::filesystem::path* file_;
  std::string field_;
};

/// An id as an integer between 0 and the highest that is taken.
/// Errors: not an integer, negative, or too large.
result<std::int32_t> read_id(const nlohmann::json& value, const std::filesystem::path& file,
                             std::string_view field);

/// No vocabulary in use has more than 262,144 entries; ids index tables, so a corrupt one must not
/// ask for the machine's memory.
inline constexpr std::int32_t highest_id = (1 << 22) - 1;

}  // namespace assay::tokenizer
