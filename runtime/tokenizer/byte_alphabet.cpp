// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/byte_alphabet.h"

#include "runtime/tokenizer/utf8.h"

#include <array>

namespace assay::tokenizer {

namespace {

constexpr bool is_visible(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char32_t, 256> make_characters() {
  std::array<char32_t, 256> out{};
  char32_t next_free = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) out[byte] = is_visible(byte) ? byte : next_free++;
  return out;
}

constexpr std::array<char32_t, 256> characters = make_characters();

// 68 bytes are not visible, so the alphabet ends below U+0144.
constexpr char32_t alphabet_end = 0x144;

constexpr std::array<std::int16_t, alphabet_end> make_bytes() {
  std::array<std::int16_t, alphabet_end> out{};
  for (auto& entry : out) entry = -1;
  for (unsigned byte = 0; byte < 256; ++byte)
    out[characters[byte]] = static_cast<std::int16_t>(byte);
  return out;
}

constexpr std::array<std::int16_t, alphabet_end> bytes = make_bytes();

}  // namespace

char32_t character_of(std::uint8_t byte) {
  return characters[byte];
}

std::optional<std::uint8_t> byte_of(char32_t character) {
  if (character >= alphabet_end || bytes[character] < 0) return std::nullopt;
  return static_cast<std::uint8_t>(bytes[character]);
}

std::optional<std::string> spelled_bytes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8_scalar scalar = scalar_at(text, at);
    const std::optional<std::uint8_t> byte = byte_of(scalar.value);
    if (!byte) return std::nullopt;
    out.push_back(static_cast<char>(*byte));
    at += scalar.byte_count;
  }
  return out;
}

}  // namespace assay::tokenizer
