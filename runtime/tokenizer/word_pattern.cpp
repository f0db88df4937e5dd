// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/word_pattern.h"

#include "runtime/tokenizer/unicode_tables.h"
#include "runtime/tokenizer/utf8.h"

namespace assay::tokenizer {

namespace {

/// A place in the text: the scalar there, its class, and where the next one begins.
struct place {
  char32_t scalar;
  char_class kind;
  std::size_t next;
};

place place_at(std::string_view text, std::size_t at) {
  const utf8_scalar scalar = scalar_at(text, at);
  return {scalar.value, class_of(scalar.value), at + scalar.byte_count};
}

bool is_line_end(char32_t scalar) {
  return scalar == U'\r' || scalar == U'\n';
}

/// Where the run of one class that begins at `at` ends, after at most `at_most` scalars.
std::size_t run_end(std::string_view text, std::size_t at, char_class kind, int at_most = 0) {
  for (int count = 0; at < text.size() && (at_most == 0 || count < at_most); ++count) {
    const place here = place_at(text, at);
    if (here.kind != kind) break;
    at = here.next;
  }
  return at;
}

char lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// (?i:'s|'t|'re|'ve|'m|'ll|'d) at an apostrophe: the end of the match, or `begin`. Folding case
/// also makes U+017F, the long s, an s.
std::size_t contraction_end(std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(begin + 1);
  if (rest.empty()) return begin;
  const char first = lower_ascii(rest[0]);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return begin + 2;
  if (rest.substr(0, 2) == "\xC5\xBF") return begin + 3;
  if (rest.size() < 2) return begin;
  const char second = lower_ascii(rest[1]);
  const bool is_pair = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
                       (first == 'l' && second == 'l');
  return is_pair ? begin + 3 : begin;
}

/// [^\s\p{L}\p{N}]+[\r\n]* at a scalar of class other.
std::size_t symbols_end(std::string_view text, std::size_t at) {
  at = run_end(text, at, char_class::other);
  while (at < text.size() && is_line_end(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

/// \s*[\r\n]+|\s+(?!\S)|\s+ at a space: through the run's last line end if it has one; else all of
/// it at the end of the text; else all but the last, which goes with the word that follows.
std::size_t spaces_end(std::string_view text, std::size_t begin) {
  std::size_t after_line_end = begin;
  std::size_t last = begin;
  std::size_t at = begin;
  while (at < text.size()) {
    const place here = place_at(text, at);
    if (here.kind != char_class::space) break;
    last = at;
    at = here.next;
    if (is_line_end(here.scalar)) after_line_end = at;
  }
  if (after_line_end != begin) return after_line_end;
  if (at == text.size() || last == begin) return at;
  return last;
}

}  // namespace

std::size_t word_piece_end(std::string_view text, std::size_t begin, int digits_at_most) {
  const place first = place_at(text, begin);
  if (first.kind == char_class::letter) return run_end(text, first.next, char_class::letter);
  if (first.kind == char_class::number)
    return run_end(text, begin, char_class::number, digits_at_most);
  if (first.scalar == U'\'') {
    const std::size_t end = contraction_end(text, begin);
    if (end != begin) return end;
  }
  if (first.next < text.size() && !is_line_end(first.scalar)) {
    const place second = place_at(text, first.next);
    if (second.kind == char_class::letter) return run_end(text, second.next, char_class::letter);
    if (first.scalar == U' ' && second.kind == char_class::other)
      return symbols_end(text, first.next);
  }
  if (first.kind == char_class::other) return symbols_end(text, begin);
  return spaces_end(text, begin);
}

}  // namespace assay::tokenizer
