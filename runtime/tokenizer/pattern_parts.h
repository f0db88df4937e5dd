// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the splitting patterns are made of. `text` is valid UTF-8 throughout, and places are byte
// offsets of a character's first byte.
#pragma once

#include "runtime/tokenizer/unicode_tables.h"
#include "runtime/tokenizer/utf8.h"

#include <cstddef>
#include <string_view>

namespace assay::tokenizer {

/// A place in the text: the scalar there, its class, and where the next one begins.
struct place {
  char32_t scalar;
  char_class kind;
  std::size_t next;
};

inline place place_at(std::string_view text, std::size_t at) {
  const valid_scalar scalar = valid_scalar_at(text, at);
  return {scalar.value, class_of(scalar.value), at + scalar.byte_count};
}

constexpr bool is_line_end(char32_t scalar) {
  return scalar == U'\r' || scalar == U'\n';
}

/// Where the run of scalars whose class `belongs` ends, after at most `at_most` of them if that is
/// not 0.
template <class Predicate>
std::size_t run_end(std::string_view text, std::size_t at, Predicate belongs, int at_most = 0) {
  for (int count = 0; at < text.size() && (at_most == 0 || count < at_most); ++count) {
    const place here = place_at(text, at);
    if (!belongs(here.kind)) break;
    at = here.next;
  }
  return at;
}

/// \p{L}*
std::size_t letters_end(std::string_view text, std::size_t at);

/// \p{N}* or, where `at_most` is not 0, \p{N}{0,at_most}
std::size_t numbers_end(std::string_view text, std::size_t at, int at_most);

/// (?i:'s|'t|'re|'ve|'m|'ll|'d) at an apostrophe: the end of the match, or `begin`. Folding case
/// also makes U+017F, the long s, an s.
std::size_t contraction_end(std::string_view text, std::size_t begin);

/// \s*[\r\n]+|\s+(?!\S)|\s+ at a space: through the run's last line end if it has one; else all of
/// it at the end of the text; else all but the last, which goes with the word that follows.
std::size_t spaces_end(std::string_view text, std::size_t begin);

}  // namespace assay::tokenizer
