// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r15_coverage.h"

#include <fmt/format.h>

#include "harness/audit/coverage.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

// A small kernel between two counters' scopes is no gap in an account; a twentieth of it is.
constexpr double unclaimed_max_ratio = 0.05;

model::finding warning_of(std::string_view subject, std::string message, std::int64_t observed,
                          unit of) {
  model::finding found = finding_of("R15", "COVERAGE", model::severity::warning, subject);
  found.message = std::move(message);
  found.claimed = absent("no counter claims it");
  found.observed = quantity_of(number::of(observed));
  found.unit = to_string(of);
  found.likely_cause = "a path that the instrument leaves out";
  return found;
}

}  // namespace

rule_outcome unclaimed_work(const evidence& from, void_map&) {
  rule_outcome out;
  const coverage seen = coverage_of(from);
  out.evaluated = seen.records;
  for (const int cell : seen.unclaimed) {
    const cell_totals& totals = from.totals[static_cast<std::size_t>(cell)];
    if (!is_copy(cell) || totals.bytes <= 0) continue;
    out.findings.push_back(
        warning_of(cell_name(cell),
                   fmt::format("{} bytes in {} copies ({}) that no counter claims.", totals.bytes,
                               totals.records, cell_name(cell)),
                   totals.bytes, unit::bytes));
  }
  const auto all_ns = static_cast<double>(seen.device_ns);
  const auto unclaimed_ns = static_cast<double>(seen.unclaimed_ns);
  if (unclaimed_ns > unclaimed_max_ratio * all_ns)
    out.findings.push_back(warning_of(
        "device time",
        fmt::format("{} of {} of device time, {:.1f} %, lie in work that no counter claims.",
                    time_words(unclaimed_ns), time_words(all_ns), unclaimed_ns / all_ns * 100.0),
        seen.unclaimed_ns, unit::ns));
  return out;
}

}  // namespace assay::audit
