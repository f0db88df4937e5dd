// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/escape.h"

#include "reports/wording/audit_words.h"
#include "reports/wording/utf8_text.h"

namespace assay::reports {
namespace {

std::string_view entity_of(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '`':
      return "&#96;";
    default:
      return {};
  }
}

}  // namespace

std::string html_escaped(std::string_view text) {
  const std::string line = mended_utf8(one_line(text));
  std::string out;
  out.reserve(line.size() + line.size() / 8);
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (const std::size_t length = length_of_hidden_mark(std::string_view(line).substr(at));
        length > 0) {
      out += '?';
      at += length - 1;
      continue;
    }
    const std::string_view entity = entity_of(line[at]);
    if (entity.empty())
      out += line[at];
    else
      out += entity;
  }
  return out;
}

}  // namespace assay::reports
