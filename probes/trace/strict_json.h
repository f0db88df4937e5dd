// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// JSON that a stranger wrote: parsed without mercy, read member by member with errors that name the
// place. Private to this room.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/telemetry/catalog.h"
#include "runtime/telemetry/result.h"

namespace assay::trace {

using json = nlohmann::ordered_json;

/// Parses `text`. Refuses what is not JSON or not UTF-8, a member that is given twice, and nesting
/// deeper than the format has. `what` begins the message.
result<json> parse_strict(std::string_view text, std::string_view what);

/// JSON text; bytes that are not UTF-8 become U+FFFD, so that it never fails.
std::string dump(const json& value);

/// A stranger's words as one printable line: control characters become '?', and what is longer than
/// a name has to be is cut.
std::string printable(std::string_view words);

/// The spelling of an enumerator of runtime/telemetry; "?" for a number past the last one.
template <class Enum>
std::string_view spelling_of(int number) {
  using telemetry::to_string;  // clock_domain lives outside telemetry, its spelling inside
  return to_string(static_cast<Enum>(number));
}

template <class Enum>
std::optional<Enum> from_spelling(std::string_view spelling) {
  for (int number = 0; spelling_of<Enum>(number) != "?"; ++number)
    if (spelling_of<Enum>(number) == spelling) return static_cast<Enum>(number);
  return std::nullopt;
}

/// Every spelling, for a message.
template <class Enum>
std::string spellings() {
  std::string all;
  for (int number = 0; spelling_of<Enum>(number) != "?"; ++number)
    all += fmt::format("{}{}", number == 0 ? "" : ", ", spelling_of<Enum>(number));
  return all;
}

/// One object under scrutiny. `where` names it in messages: "the contract's row 3".
class object_reader {
 public:
  /// Errors: where `value` is no object.
  static result<object_reader> of(const json& value, std::string where);

  bool has(const char* member) const { return object_->contains(member); }
  /// Errors: where a member is none of `known`: a misspelt one would otherwise go unread.
  result<void> only(std::initializer_list<std::string_view> known) const;
  result<const json*> member(const char* name) const;
  result<const json*> array(const char* name) const;
  result<std::string> text(const char* name) const;
  /// As text(), and not empty.
  result<std::string> sentence(const char* name) const;
  result<double> number(const char* name) const;
  result<object_reader> object(const char* name) const;
  template <class Enum>
  result<Enum> spelled(const char* name) const {
    ASSAY_TRY_ASSIGN(const std::string spelling, text(name));
    if (const auto value = from_spelling<Enum>(spelling)) return *value;
    return flaw(fmt::format("{} is '{}'; it must be one of: {}", name, printable(spelling),
                            spellings<Enum>()));
  }

  /// An error about this object; "what is wrong; how to mend it".
  failure flaw(std::string_view what) const;

 private:
  object_reader(const json& object, std::string where)
      : object_(&object), where_(std::move(where)) {}

  const json* object_;
  std::string where_;
};

}  // namespace assay::trace
