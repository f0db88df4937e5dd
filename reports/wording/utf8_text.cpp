// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/utf8_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace assay::reports {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Soft hyphen, Arabic letter mark, Mongolian vowel separator, byte order mark.
constexpr std::array<std::string_view, 4> lone_marks{"\xC2\xAD", "\xD8\x9C", "\xE1\xA0\x8E",
                                                     "\xEF\xBB\xBF"};

// One row a line of Unicode's table of well-formed sequences (The Unicode Standard, table 3-7): the
// range of the first byte, of the second, and the length. Further bytes are 80..BF.
struct form {
  std::uint8_t lead_low, lead_high, second_low, second_high, length;
};
constexpr std::array<form, 9> forms{{
    {0x00, 0x7F, 0x00, 0x00, 1},
    {0xC2, 0xDF, 0x80, 0xBF, 2},
    {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4},
    {0xF4, 0xF4, 0x80, 0x8F, 4},
}};

bool lies_in(char byte, std::uint8_t low, std::uint8_t high) {
  const auto value = static_cast<std::uint8_t>(byte);
  return low <= value && value <= high;
}

// Length of the sequence that the text begins with; 0 where it is none.
std::size_t sequence_length(std::string_view text) {
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const form& f) {
    return lies_in(text[0], f.lead_low, f.lead_high);
  });
  if (found == forms.end() || found->length > text.size()) return 0;
  if (found->length > 1 && !lies_in(text[1], found->second_low, found->second_high)) return 0;
  for (std::size_t i = 2; i < found->length; ++i)
    if (!lies_in(text[i], 0x80, 0xBF)) return 0;
  return found->length;
}

}  // namespace

std::string mended_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    out += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::size_t length_of_hidden_mark(std::string_view text) {
  for (const std::string_view each : lone_marks)
    if (text.starts_with(each)) return each.size();
  const auto byte = [text](std::size_t at) {
    return at < text.size() ? static_cast<std::uint8_t>(text[at]) : std::uint8_t{0};
  };
  const std::uint8_t last = byte(2);
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
  if (byte(0) == 0xE2 && byte(1) == 0x80)
    return (last >= 0x8B && last <= 0x8F) || (last >= 0xA8 && last <= 0xAE) ? 3 : 0;
  if (byte(0) == 0xE2 && byte(1) == 0x81) return last >= 0xA0 && last <= 0xAF ? 3 : 0;
  const bool is_tag = byte(0) == 0xF3 && byte(1) == 0xA0 && (last == 0x80 || last == 0x81);
  return is_tag && text.size() >= 4 ? 4 : 0;
}

}  // namespace assay::reports
