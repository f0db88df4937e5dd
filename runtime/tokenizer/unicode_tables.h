// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What Unicode says about a scalar value, in the version that Hugging Face's regex engine has.
#pragma once

#include <cstdint>

namespace assay::tokenizer {

/// The classes that splitting patterns tell apart; no scalar is in two.
enum class char_class : std::uint8_t {
  other,
  upper,     ///< \p{Lu} and \p{Lt}
  lower,     ///< \p{Ll}
  caseless,  ///< \p{Lm} and \p{Lo}
  mark,      ///< \p{M}
  number,    ///< \p{N}
  space,     ///< \s
};

/// \p{L}
constexpr bool is_letter(char_class kind) {
  return kind == char_class::upper || kind == char_class::lower || kind == char_class::caseless;
}

/// [^\s\p{L}\p{N}]
constexpr bool is_symbol(char_class kind) {
  return kind == char_class::other || kind == char_class::mark;
}

/// Source: unicode_ranges.inc, generated from tokenizers 0.23.2 (Unicode 16: 141,028 letters).
/// Overhead: two dependent loads from 80 KiB that the first call fills.
char_class class_of(char32_t scalar);

/// \w of the engine that judges `single_word`: letters, marks, digits, connectors and joiners.
bool is_word(char32_t scalar);

}  // namespace assay::tokenizer
