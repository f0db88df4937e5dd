// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/utf8.h"

namespace assay::tokenizer {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Length that a lead byte promises and the range of the byte after it (Unicode, table 3-7); the
/// narrow ranges exclude overlong forms, surrogates and values beyond U+10FFFF.
struct lead {
  std::uint32_t byte_count;
  unsigned second_low;
  unsigned second_high;
};

lead lead_of(unsigned byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

utf8_scalar scalar_at(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return {first, 1, utf8_state::whole};
  const lead promised = lead_of(first);
  if (promised.byte_count == 0) return {};
  char32_t value = first & (0x7Fu >> promised.byte_count);
  for (std::uint32_t i = 1; i < promised.byte_count; ++i) {
    if (at + i >= text.size()) return {replacement_character, i, utf8_state::cut};
    const unsigned next = byte_at(text, at + i);
    const unsigned low = i == 1 ? promised.second_low : 0x80;
    const unsigned high = i == 1 ? promised.second_high : 0xBF;
    if (next < low || next > high) return {replacement_character, i, utf8_state::malformed};
    value = (value << 6) | (next & 0x3Fu);
  }
  return {value, promised.byte_count, utf8_state::whole};
}

utf8_scalar scalar_before(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && (byte_at(text, at) & 0xC0u) == 0x80) --at;
  return scalar_at(text, at);
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (byte_at(text, at) < 0x80) {
      ++at;
      continue;
    }
    const utf8_scalar scalar = scalar_at(text, at);
    if (scalar.state != utf8_state::whole) return false;
    at += scalar.byte_count;
  }
  return true;
}

std::string with_replacements(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8_scalar scalar = scalar_at(text, at);
    append_scalar(scalar.value, out);
    at += scalar.byte_count;
  }
  return out;
}

void append_scalar(char32_t value, std::string& to) {
  const auto put = [&to](char32_t byte) { to.push_back(static_cast<char>(byte)); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | (value >> 6));
    put(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    put(0xE0 | (value >> 12));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  } else {
    put(0xF0 | (value >> 18));
    put(0x80 | ((value >> 12) & 0x3F));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  }
}

}  // namespace assay::tokenizer
