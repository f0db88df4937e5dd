// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/escape.h"

#include "reports/wording/audit_words.h"

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
  const std::string line = one_line(text);
  std::string out;
  out.reserve(line.size() + line.size() / 8);
  for (const char each : line) {
    const std::string_view entity = entity_of(each);
    if (entity.empty())
      out += each;
    else
      out += entity;
  }
  return out;
}

}  // namespace assay::reports
