// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of one format (format_name): its reader must answer with rows that each
// have numbers or a reason, or with one line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/ingest/formats.h"
#include "harness/ingest/metric_unit.h"
#include "runtime/telemetry/check.h"
#include "tests/fuzz/check_error.h"
#include "tests/fuzz/ingest_format.h"

namespace {

void check_rows(const assay::model::sample_set& set) {
  std::set<std::pair<std::string, std::string>> names;
  ASSAY_CHECK(!set.rows.empty(), "a file without a row was taken");
  for (const auto& row : set.rows) {
    ASSAY_CHECK(names.insert({row.metric, row.name}).second, "a row is there twice");
    ASSAY_CHECK(!row.process_values.empty() || !row.failure.empty(),
                "a row with neither a number nor a reason");
    for (const double value : row.process_values) {
      ASSAY_CHECK(std::isfinite(value), "a number that is none");
      ASSAY_CHECK(value > 0 || !assay::ingest::is_always_positive(row.unit), "a time of 0");
    }
  }
}

const assay::ingest::format& wanted_format() {
  for (const auto& each : assay::ingest::formats())
    if (each.name == assay::fuzz::format_name) return each;
  ASSAY_CHECK(false, "no such format");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const assay::ingest::format& format = wanted_format();
  static_cast<void>(format.is_like(text));
  for (const char* metric : {"real_time", "avg_ts"}) {
    const auto set = format.parse(text, "results", metric);
    if (set)
      check_rows(*set);
    else
      assay::fuzz::check_error(set.error(), "results: ");
  }
  return 0;
}
