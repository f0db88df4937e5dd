// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/gpt2_pattern.h"

#include "runtime/tokenizer/pattern_parts.h"

namespace assay::tokenizer {

namespace {

/// 's|'t|'re|'ve|'m|'ll|'d, small letters only: the end of the match, or `begin`.
std::size_t small_contraction_end(std::string_view text, std::size_t begin) {
  for (std::string_view known : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.substr(begin, known.size()) == known) return begin + known.size();
  return begin;
}

/// \s+(?!\S)|\s+ at a space. Line ends are spaces like others here.
std::size_t plain_spaces_end(std::string_view text, std::size_t begin) {
  std::size_t last = begin;
  std::size_t at = begin;
  while (at < text.size()) {
    const place here = place_at(text, at);
    if (here.kind != char_class::space) break;
    last = at;
    at = here.next;
  }
  return at == text.size() || last == begin ? at : last;
}

}  // namespace

std::size_t gpt2_piece_end(std::string_view text, std::size_t begin) {
  const place first = place_at(text, begin);
  if (first.scalar == U'\'') {
    const std::size_t end = small_contraction_end(text, begin);
    if (end != begin) return end;
  }
  const bool is_led = first.scalar == U' ' && first.next < text.size();
  const std::size_t from = is_led ? first.next : begin;
  const char_class kind = is_led ? place_at(text, from).kind : first.kind;
  if (is_letter(kind)) return letters_end(text, from);
  if (kind == char_class::number) return numbers_end(text, from, 0);
  if (is_symbol(kind)) return run_end(text, from, is_symbol);
  return plain_spaces_end(text, begin);
}

}  // namespace assay::tokenizer
