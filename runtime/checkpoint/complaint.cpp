// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/complaint.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace assay::checkpoint {
namespace {

constexpr std::size_t path_limit_bytes = 4096;  // PATH_MAX

std::uint8_t at(std::string_view text, std::size_t index) {
  return index < text.size() ? static_cast<std::uint8_t>(text[index]) : std::uint8_t{0};
}

// Length of the printable character that begins `text`, or 0 where there is none. The second byte's
// range shuts out overlong forms, surrogates and what lies above U+10FFFF (Unicode 15, table 3-7).
std::size_t printable_bytes(std::string_view text) {
  const std::uint8_t lead = at(text, 0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // U+0080 to U+009F are control characters; some terminals obey them.
  const std::uint8_t low = lead == 0xc2 || lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (at(text, 1) < low || at(text, 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((at(text, i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit_bytes) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = printable_bytes(text);
    const std::string piece =
        length > 0 ? std::string(text.substr(0, length)) : fmt::format("\\x{:02x}", at(text, 0));
    if (line.size() + piece.size() > limit_bytes) return line + "...";
    line += piece;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

std::string complaint(const std::filesystem::path& file, std::string_view field,
                      std::string_view fault, std::string_view fix) {
  std::string line = printable(file.native(), path_limit_bytes);
  if (!field.empty()) line += ": " + printable(field);
  return fmt::format("{}: {}; {}", line, fault, fix);
}

}  // namespace assay::checkpoint
