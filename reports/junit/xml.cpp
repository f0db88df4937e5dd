// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/junit/xml.h"

#include <array>
#include <utility>

#include "reports/wording/utf8_text.h"

namespace assay::reports {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// As they stand, a reader would turn the last three into blanks.
constexpr std::array<std::pair<char, std::string_view>, 7> entities{{
    {'&', "&amp;"},
    {'<', "&lt;"},
    {'>', "&gt;"},
    {'"', "&quot;"},
    {'\t', "&#9;"},
    {'\n', "&#10;"},
    {'\r', "&#13;"},
}};

std::string_view entity_of(char c) {
  for (const auto& [plain, entity] : entities)
    if (plain == c) return entity;
  return {};
}

// U+FFFE and U+FFFF: scalar values that XML 1.0 leaves out (section 2.2, Char).
bool is_noncharacter(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
}

}  // namespace

std::string xml_escaped(std::string_view raw) {
  const std::string mended = mended_utf8(raw);
  std::string out;
  out.reserve(mended.size());
  for (std::size_t i = 0; i < mended.size(); ++i) {
    const char c = mended[i];
    if (const auto entity = entity_of(c); !entity.empty()) {
      out += entity;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += replacement;
    } else if (is_noncharacter(std::string_view(mended).substr(i))) {
      out += replacement;
      i += 2;
    } else if (const std::size_t hidden = length_of_hidden_mark(std::string_view(mended).substr(i));
               hidden > 0) {
      out += replacement;
      i += hidden - 1;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace assay::reports
