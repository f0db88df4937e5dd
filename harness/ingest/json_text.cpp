// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"

namespace assay::ingest {
namespace {

using nlohmann::json;

constexpr int deepest = 64;

struct replacement {
  std::string_view bare;
  std::string_view quoted;
};
// With a DEL in each: a text "N" is nobody's number, and must not become one where a number of the
// same line is bare.
constexpr std::array<replacement, 4> non_finite{{{"-Infinity", "\"\x7f-Infin\""},
                                                 {"Infinity", "\"\x7fInfin\""},
                                                 {"-NaN", "\"\x7f-\""},
                                                 {"NaN", "\"\x7f\""}}};

struct spelled {
  std::string_view text;
  double value;
};
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<spelled, 23> spellings{
    {{"\x7f", not_a_number},    {"\x7f-", not_a_number},  {"\x7fInfin", infinite},
     {"\x7f-Infin", -infinite}, {"NaN", not_a_number},    {"nan", not_a_number},
     {"NAN", not_a_number},     {"-nan", not_a_number},   {"-NaN", not_a_number},
     {"Infinity", infinite},    {"+Infinity", infinite},  {"-Infinity", -infinite},
     {"infinity", infinite},    {"-infinity", -infinite}, {"Inf", infinite},
     {"+Inf", infinite},        {"-Inf", -infinite},      {"inf", infinite},
     {"+inf", infinite},        {"-inf", -infinite},      {"INF", infinite},
     {"+INF", infinite},        {"-INF", -infinite}}};

bool may_end_a_value(char c) {
  return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

const replacement* bare_at(std::string_view rest) {
  for (const replacement& each : non_finite)
    if (rest.starts_with(each.bare) &&
        (rest.size() == each.bare.size() || may_end_a_value(rest[each.bare.size()])))
      return &each;
  return nullptr;
}

// Not by the parser's callback: with one it looks at a whole list again for each object in it.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool is_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_string) {
      if (c == '\\') ++at;
      if (c == '"') is_string = false;
    } else if (c == '"') {
      is_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > deepest) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

json tree_of(std::string_view text) {
  return json::parse(text.begin(), text.end());
}

}  // namespace

std::optional<std::string> with_quoted_non_finite(std::string_view text) {
  std::optional<std::string> mended;
  bool is_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_string && c == '\\') {
      ++at;
    } else if (c == '"') {
      is_string = !is_string;
    } else if (!is_string && (c == 'N' || c == 'I' || c == '-')) {
      const replacement* found = bare_at(text.substr(at));
      if (found == nullptr) continue;
      if (!mended) mended = std::string(text);
      // Longer by the quotes, shorter by as many letters.
      mended->replace(at, found->bare.size(), found->quoted);
      at += found->bare.size() - 1;
    }
  }
  return mended;
}

std::optional<double> number_in(std::string_view text) {
  for (const spelled& each : spellings)
    if (each.text == text) return each.value;
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stopped != end || text.empty()) return std::nullopt;
  return value;
}

std::optional<double> number_in(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return number_in(std::string_view(value.get_ref<const std::string&>()));
  return std::nullopt;
}

std::string syntax_complaint(std::size_t byte, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "is empty";
  if (byte >= text.size()) return fmt::format("ends in the middle, at byte {}", text.size());
  const std::size_t at = byte == 0 ? 0 : byte - 1;
  return fmt::format("is no JSON at byte {}, '{}'", at, printable(text.substr(at, 1)));
}

result<json> parse_json(std::string_view text, std::string_view file, std::string_view fix) {
  if (is_too_deep(text))
    return refused(file, "", fmt::format("is nested deeper than {}", deepest), fix);
  try {
    try {
      return tree_of(text);
    } catch (const json::parse_error&) {
      if (const auto mended = with_quoted_non_finite(text)) return tree_of(*mended);
      throw;
    }
  } catch (const json::parse_error& e) {
    return refused(file, "", syntax_complaint(e.byte, text), fix);
  } catch (const json::exception&) {
    return refused(file, "", "holds a number that no double can hold", fix);
  }
}

}  // namespace assay::ingest
