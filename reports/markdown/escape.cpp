// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/escape.h"

#include "reports/wording/audit_words.h"

namespace assay::reports {
namespace {

constexpr std::string_view starts_markup = "\\`*|[]~";

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= 'a' && byte <= 'z') || byte >= 0x80;
}

}  // namespace

std::string markdown_escaped(std::string_view text) {
  const std::string line = one_line(text);
  std::string safe;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    // Within a word an underscore is a letter, and every counter's name has some.
    const bool is_emphasis = c == '_' && (at == 0 || at + 1 == line.size() ||
                                          !is_word(line[at - 1]) || !is_word(line[at + 1]));
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (is_emphasis || starts_markup.find(c) != std::string_view::npos)
      (safe += '\\') += c;
    else
      safe += c;
  }
  return safe;
}

}  // namespace assay::reports
