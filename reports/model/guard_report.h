// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The result of a guard, as plain structs. harness/guard decides, reports/* render.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/audit_report.h"
#include "reports/model/outcome.h"

namespace assay::model {

/// One thing found. `check` is the word under which docs/guard.md explains it.
struct guard_finding {
  std::string check{};
  std::string rule{};  ///< the rule of the audit that it is a case of, such as R25; may be empty
  model::severity severity = model::severity::error;
  std::string subject{};  ///< a metric, a variable, a group
  std::string message{};  ///< a sentence, with the figures
  std::string where{};    ///< FILE:LINE
};

/// One check's effort.
struct guard_check {
  std::string name{};
  std::uint64_t evaluated = 0;
  std::uint64_t fired = 0;
  std::string absence{};  ///< why it looked at nothing; empty where it looked at something
};

/// Something of the input that was not used, and why.
struct skipped_input {
  std::string where{};  ///< FILE:LINE
  std::string what{};
};

struct guard_report {
  std::vector<fact> facts{};
  std::vector<guard_finding> findings{};  ///< worst first
  std::vector<guard_check> checks{};
  std::vector<skipped_input> skipped{};     ///< the first of them
  std::uint64_t skipped_count = 0;          ///< all of them that are lines
  std::uint64_t skipped_value_count = 0;    ///< and those that are a value of a line
  std::vector<skipped_input> not_judged{};  ///< promises that nothing here could test
  std::uint64_t sample_count = 0;
  std::uint64_t promise_count = 0;
};

/// Where several hold, the first of: could not measure (no check but that of the input looked at
/// anything), found. A warning alone leaves clean. `is_strict` takes a promise that could not be
/// tested for undecided.
inline outcome outcome_of(const guard_report& report, bool is_strict = false) {
  const bool has_looked =
      std::any_of(report.checks.begin(), report.checks.end(),
                  [](const guard_check& c) { return c.evaluated > 0 && c.name != "input"; });
  if (!has_looked) return outcome::could_not_measure;
  const bool has_found =
      std::any_of(report.findings.begin(), report.findings.end(),
                  [](const guard_finding& f) { return f.severity != severity::warning; });
  if (has_found) return outcome::found;
  return is_strict && !report.not_judged.empty() ? outcome::undecided : outcome::clean;
}

}  // namespace assay::model
