// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What every fuzz target asks of an error: one line of printable text, that names the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/telemetry/check.h"
#include "runtime/telemetry/result.h"

namespace assay::fuzz {

inline void check_error(const error& failed, std::string_view file) {
  const std::string& text = failed.message;
  ASSAY_CHECK(text.rfind(file, 0) == 0, "an error does not begin with its file");
  ASSAY_CHECK(text.find("; ") != std::string::npos, "an error names no fix");
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    ASSAY_CHECK(byte >= 0x20 && byte != 0x7f, "an error holds a control character");
  }
}

}  // namespace assay::fuzz
