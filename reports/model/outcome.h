// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What an audit or a comparison comes to: the one word behind the exit code, the headline and the
// JSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "reports/model/audit_report.h"

namespace assay::model {

/// The value is the process's exit code.
enum class outcome : std::uint8_t {
  clean = 0,
  found = 1,              ///< a counter disagrees, a finding that is not a warning, a regressed row
  could_not_measure = 3,  ///< measured nothing, or was cut off
  undecided = 4,          ///< a counter that has references got no verdict; a run was contaminated
  not_comparable = 5,     ///< of a comparison: the two sides did not measure the same thing
};

constexpr std::string_view to_string(outcome o) {
  switch (o) {
    case outcome::clean:
      return "clean";
    case outcome::found:
      return "found";
    case outcome::could_not_measure:
      return "could not measure";
    case outcome::undecided:
      return "undecided";
    case outcome::not_comparable:
      return "not comparable";
  }
  return "?";
}

constexpr std::string_view to_string(verdict v) {
  switch (v) {
    case verdict::agree:
      return "agree";
    case verdict::disagree:
      return "disagree";
    case verdict::undecided:
      return "undecided";
    case verdict::unmeasured:
      return "unmeasured";
  }
  return "?";
}

constexpr std::string_view to_string(severity s) {
  switch (s) {
    case severity::critical:
      return "critical";
    case severity::error:
      return "error";
    case severity::warning:
      return "warning";
  }
  return "?";
}

inline std::size_t count_of(const audit_report& report, verdict v) {
  return static_cast<std::size_t>(std::count_if(report.counters.begin(), report.counters.end(),
                                                [v](const auto& c) { return c.verdict == v; }));
}

/// Where several hold, the first of: could not measure, found, undecided. Of a trace whose counters
/// nobody could measure, not one, that is could not measure as well, unless something was found.
/// `is_strict` also takes an unmeasured counter for undecided. A warning alone leaves clean.
inline outcome outcome_of(const audit_report& report, bool is_strict = false) {
  const bool measured_nothing =
      report.counters.empty() || report.window_count == 0 || report.record_count == 0;
  if (measured_nothing || !report.is_complete) return outcome::could_not_measure;
  const bool has_finding =
      std::any_of(report.findings.begin(), report.findings.end(),
                  [](const finding& f) { return f.severity != severity::warning; });
  if (has_finding || count_of(report, verdict::disagree) > 0) return outcome::found;
  if (count_of(report, verdict::unmeasured) == report.counters.size())
    return outcome::could_not_measure;
  const bool has_gap = count_of(report, verdict::undecided) > 0 ||
                       (is_strict && count_of(report, verdict::unmeasured) > 0);
  return has_gap ? outcome::undecided : outcome::clean;
}

}  // namespace assay::model
