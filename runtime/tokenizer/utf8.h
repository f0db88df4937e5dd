// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// UTF-8, one scalar value at a time, with the replacement practice of WHATWG and of Rust's lossy
// conversion: one U+FFFD for each maximal subpart of a malformed sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::tokenizer {

inline constexpr char32_t replacement_character = 0xFFFD;

enum class utf8_state : std::uint8_t {
  whole,      ///< a scalar value
  malformed,  ///< bytes that can never become one
  cut,        ///< the text ends where the sequence could still go on
};

/// What stands at one place of a text. Where it is not whole, `value` is U+FFFD and `byte_count`
/// the length of the maximal subpart, at least 1.
struct utf8_scalar {
  char32_t value = replacement_character;
  std::uint32_t byte_count = 1;
  utf8_state state = utf8_state::malformed;
};

/// Reads the scalar at `at`, which lies within `text`.
utf8_scalar scalar_at(std::string_view text, std::size_t at);

/// One scalar of a text that is known to be valid.
struct valid_scalar {
  char32_t value;
  std::uint32_t byte_count;
};

/// The same where `text` is valid UTF-8 and `at` a character's first byte: nothing is checked.
inline valid_scalar valid_scalar_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return char32_t{static_cast<unsigned char>(text[at + i])};
  };
  const auto rest = [&](std::size_t i) { return byte(i) & 0x3F; };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {(first & 0x1F) << 6 | rest(1), 2};
  if (first < 0xF0) return {(first & 0x0F) << 12 | rest(1) << 6 | rest(2), 3};
  return {(first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4};
}

/// Reads the scalar that ends at `end`; `text` is valid UTF-8 and `end` is not 0.
utf8_scalar scalar_before(std::string_view text, std::size_t end);

bool is_valid_utf8(std::string_view text);

/// Every malformed or cut sequence becomes U+FFFD.
std::string with_replacements(std::string_view text);

/// Appends one scalar value; it is not a surrogate and not beyond U+10FFFF.
void append_scalar(char32_t value, std::string& to);

}  // namespace assay::tokenizer
