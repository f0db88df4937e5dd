// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/columns.h"

#include <algorithm>

namespace assay::reports {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t seen = columns(text);
  if (seen < width) text.append(width - seen, ' ');
  return text;
}

std::string pad_left(std::string text, std::size_t width) {
  const std::size_t seen = columns(text);
  if (seen < width) text.insert(0, width - seen, ' ');
  return text;
}

}  // namespace assay::reports
