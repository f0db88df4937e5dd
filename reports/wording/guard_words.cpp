// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/guard_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", with_separators(count), count == 1 ? one : several);
}

}  // namespace

std::string guard_headline(const model::guard_report& report) {
  const auto warnings = static_cast<std::uint64_t>(
      std::count_if(report.findings.begin(), report.findings.end(),
                    [](const auto& f) { return f.severity == model::severity::warning; }));
  std::string text = fmt::format(
      "{}, {}: {}", counted(report.promise_count, "promise", "promises"),
      counted(report.sample_count, "sample", "samples"),
      counted(static_cast<std::uint64_t>(report.findings.size()), "finding", "findings"));
  if (warnings > 0) text += fmt::format(" ({})", counted(warnings, "warning", "warnings"));
  text += fmt::format(", {} skipped", counted(report.skipped_count, "line", "lines"));
  if (report.skipped_value_count > 0)
    text += fmt::format(", {} skipped", counted(report.skipped_value_count, "value", "values"));
  return text + fmt::format(", {} not judged",
                            with_separators(static_cast<std::uint64_t>(report.not_judged.size())));
}

std::string guard_effort(const model::guard_check& check) {
  if (check.evaluated == 0) return "looked at nothing: " + check.absence;
  return fmt::format("looked at {}, found {}", with_separators(check.evaluated),
                     with_separators(check.fired));
}

}  // namespace assay::reports
