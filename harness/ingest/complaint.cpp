// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/complaint.h"

#include <fmt/format.h>

namespace assay::ingest {

std::string printable(std::string_view text, std::size_t most) {
  std::string out(text.substr(0, most));
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  if (text.size() > most) {
    // Not in the middle of a character of several bytes.
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0x80) out.pop_back();
    out += "…";
  }
  return out;
}

failure refused(std::string_view file, std::string_view where, std::string_view reason,
                std::string_view fix) {
  const std::string place = where.empty() ? std::string() : printable(where, 160) + ": ";
  return ASSAY_FAIL(unusable_input, fmt::format("{}: {}{}; {}", printable(file, 300), place,
                                                printable(reason, 200), fix));
}

}  // namespace assay::ingest
