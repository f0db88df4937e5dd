// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/pattern_parts.h"

namespace assay::tokenizer {

namespace {

char lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t letters_end(std::string_view text, std::size_t at) {
  return run_end(text, at, is_letter);
}

std::size_t numbers_end(std::string_view text, std::size_t at, int at_most) {
  return run_end(
      text, at, [](char_class kind) { return kind == char_class::number; }, at_most);
}

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

}  // namespace assay::tokenizer
