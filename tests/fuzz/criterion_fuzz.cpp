// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of Criterion's folder: each of the three readers must answer with what it is
// there for, or with one line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/ingest/criterion.h"
#include "runtime/telemetry/check.h"
#include "tests/fuzz/check_error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto name = assay::ingest::criterion_name(text, "a.json"))
    ASSAY_CHECK(!name->empty(), "an empty name");
  else
    assay::fuzz::check_error(name.error(), "a.json: ");
  for (const auto& ns : {assay::ingest::criterion_median_ns(text, "a.json"),
                         assay::ingest::criterion_least_ns(text, "a.json")})
    if (!ns) assay::fuzz::check_error(ns.error(), "a.json: ");
  return 0;
}
