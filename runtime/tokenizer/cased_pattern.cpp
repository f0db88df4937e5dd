// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/cased_pattern.h"

#include "runtime/tokenizer/pattern_parts.h"

namespace assay::tokenizer {

namespace {

/// Letters without case and marks are in both bracketed classes of the pattern.
bool is_either(char_class kind) {
  return kind == char_class::caseless || kind == char_class::mark;
}

bool begins_word(char_class kind) {
  return kind == char_class::upper || is_either(kind);
}

bool ends_word(char_class kind) {
  return kind == char_class::lower || is_either(kind);
}

/// What stands at a place where a word may begin.
struct word {
  std::size_t upper_end = 0;  ///< of [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*
  /// Of [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+, or where it began: no match.
  std::size_t lower_end = 0;
};

/// The first class is greedy. If nothing of the second follows, it gives back until it has given
/// back one scalar that both hold: the last such one then ends the word, as all after it are upper.
word word_at(std::string_view text, std::size_t begin) {
  std::size_t after_either = begin;
  std::size_t at = begin;
  while (at < text.size()) {
    const place here = place_at(text, at);
    if (!begins_word(here.kind)) {
      if (here.kind == char_class::lower) return {at, run_end(text, here.next, ends_word)};
      break;
    }
    at = here.next;
    if (is_either(here.kind)) after_either = at;
  }
  return {at, after_either};
}

std::size_t with_contraction(std::string_view text, std::size_t end) {
  return end < text.size() && text[end] == '\'' ? contraction_end(text, end) : end;
}

/// The two alternatives for words: the end of the match, or `begin`. Each is tried with a leading
/// scalar that is no letter, then without; that scalar may be a mark, which can also be the word.
std::size_t word_end(std::string_view text, std::size_t begin, const place& first) {
  const bool can_lead =
      !is_letter(first.kind) && first.kind != char_class::number && !is_line_end(first.scalar);
  const word led = can_lead ? word_at(text, first.next) : word{};
  if (can_lead && led.lower_end > first.next) return with_contraction(text, led.lower_end);
  const word bare = word_at(text, begin);
  if (bare.lower_end > begin) return with_contraction(text, bare.lower_end);
  if (can_lead && led.upper_end > first.next) return with_contraction(text, led.upper_end);
  return bare.upper_end > begin ? with_contraction(text, bare.upper_end) : begin;
}

/// [^\s\p{L}\p{N}]+[\r\n/]* at a symbol.
std::size_t symbols_end(std::string_view text, std::size_t at) {
  at = run_end(text, at, is_symbol);
  while (at < text.size() && (is_line_end(static_cast<unsigned char>(text[at])) || text[at] == '/'))
    ++at;
  return at;
}

}  // namespace

std::size_t cased_piece_end(std::string_view text, std::size_t begin) {
  constexpr int digits_at_most = 3;
  const place first = place_at(text, begin);
  const std::size_t end = word_end(text, begin, first);
  if (end != begin) return end;
  if (first.kind == char_class::number) return numbers_end(text, begin, digits_at_most);
  if (is_symbol(first.kind)) return symbols_end(text, begin);
  if (first.scalar == U' ' && first.next < text.size() &&
      is_symbol(place_at(text, first.next).kind))
    return symbols_end(text, first.next);
  return spaces_end(text, begin);
}

}  // namespace assay::tokenizer
