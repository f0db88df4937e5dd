// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/word_pattern.h"

#include "runtime/tokenizer/pattern_parts.h"

namespace assay::tokenizer {

namespace {

/// [^\s\p{L}\p{N}]+[\r\n]* at a symbol.
std::size_t symbols_end(std::string_view text, std::size_t at) {
  at = run_end(text, at, is_symbol);
  while (at < text.size() && is_line_end(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

}  // namespace

std::size_t word_piece_end(std::string_view text, std::size_t begin, int digits_at_most) {
  const place first = place_at(text, begin);
  if (is_letter(first.kind)) return letters_end(text, first.next);
  if (first.kind == char_class::number) return numbers_end(text, begin, digits_at_most);
  if (first.scalar == U'\'') {
    const std::size_t end = contraction_end(text, begin);
    if (end != begin) return end;
  }
  if (first.next < text.size() && !is_line_end(first.scalar)) {
    const place second = place_at(text, first.next);
    if (is_letter(second.kind)) return letters_end(text, second.next);
    if (first.scalar == U' ' && is_symbol(second.kind)) return symbols_end(text, first.next);
  }
  if (is_symbol(first.kind)) return symbols_end(text, begin);
  return spaces_end(text, begin);
}

}  // namespace assay::tokenizer
