// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A tracefile and a diff come from another job: whatever they hold is read or refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/ingest/lcov.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(assay::ingest::parse_lcov(text, "input"));
  static_cast<void>(assay::ingest::parse_diff(text, "input"));
  return 0;
}
