// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/code_span.h"

#include "reports/wording/audit_words.h"

namespace assay::reports {
namespace {

std::string_view inert(std::string_view character) {
  if (character == "`") return "ˋ";
  if (character == "|") return "ǀ";
  if (character == "\\") return "⧵";
  return character;
}

std::size_t length_of_first(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
    ++length;
  return length;
}

}  // namespace

std::string code_span(std::string_view name, std::size_t most) {
  const std::string line = one_line(name);
  std::string_view left = line;
  std::string out = "`";
  for (std::size_t count = 0; !left.empty(); ++count) {
    if (count == most) {
      out += "…";
      break;
    }
    const std::size_t length = length_of_first(left);
    out += inert(left.substr(0, length));
    left.remove_prefix(length);
  }
  // A span of nothing, or of spaces alone, is no span.
  if (out.find_first_not_of("` ") == std::string::npos) out += "?";
  return out + "`";
}

}  // namespace assay::reports
