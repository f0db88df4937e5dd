// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log of --out-samples: either one line, or a report that can be rendered.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/compare/run_file.h"
#include "harness/compare/run_report.h"
#include "reports/json/comparison_json.h"
#include "reports/markdown/comparison_markdown.h"
#include "reports/model/comparison_outcome.h"
#include "reports/text/comparison_text.h"
#include "runtime/telemetry/check.h"
#include "tests/fuzz/check_error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto log = compare::parse_run_log(text, "run.jsonl");
  if (!log) {
    fuzz::check_error(log.error(), "run.jsonl: ");
    return 0;
  }
  const auto report = compare::report_of(*log);
  const auto outcome = model::outcome_of(report);
  ASSAY_CHECK(!reports::comparison_as_text(report).empty(), "a page without a line");
  ASSAY_CHECK(reports::comparison_as_markdown(report).size() <= reports::comment_limit_bytes,
              "a comment that no forge takes");
  ASSAY_CHECK(!reports::comparison_as_json(report, outcome).empty(), "no JSON");
  return 0;
}
